import { ApplicationFailure, patched } from '@temporalio/workflow';
import type { Plan } from '../pipelines/plan.ts';
import { runOf, type RunInput } from '../pipelines/run-start.ts';
import { createAlerts } from './alerts.ts';
import { begin, named, sayWho } from './begin.ts';
import { keepView } from './keep-view.ts';
import type { RunError, RunView } from './messages.ts';
import { createReports } from './report-above.ts';

/**
 * Fails a run whose plan this worker does not carry out, before any step of it begins and without its key. Who asked to hear of failures
 * does, and so does the run above it. Runs that were refused before there was this replay as they were.
 */
export async function refuse(input: RunInput, error: RunError): Promise<never> {
  // Of a plan of another version only what is read here is looked for.
  const { plan, noticed = [], state }: { plan?: Plan; noticed?: string[]; state?: unknown } = input;
  const details: RunView[] = [];
  if (plan && patched('a refused run has its folder and its alerts')) {
    const start = named(input);
    const run = runOf(plan, start);
    sayWho(plan, start);
    const view: RunView = { run: run.id, pipeline: plan.pipeline, state: 'failed', steps: [], error };
    // What became of its alerts stands in its folder.
    if (state === undefined) await begin({ ...plan, concurrency: null }, start);
    const alerts = createAlerts(plan, run, { noticed, connections: start.connections });
    alerts.look(view);
    await alerts.begun();
    keepView(run.store, view);
    await Promise.all([alerts.ended(view), createReports(start, true).end(view)]);
    details.push(view);
  }
  throw ApplicationFailure.create({ nonRetryable: true, type: error.type, message: error.message.toWellFormed(), details });
}
