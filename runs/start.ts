import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { whenHeldOf } from '../pipelines/lock.ts';
import type { Plan, Reuse } from '../pipelines/plan.ts';
import { factsOf, runOf, type NamedStart, type RunInput, type RunStart } from '../pipelines/run-start.ts';
import { taskQueueOf } from '../store/store-id.ts';
import { workflowType } from '../workflows/messages.ts';
import { RunHeld, RunProblem } from './errors.ts';
import { rootOf } from './find.ts';
import { lockHolder } from './lock-holder.ts';

export type StartOptions = {
  client: Client;
  plan: Plan;
  start: NamedStart;
  /** `rerun`: what the run before it has completed. */
  reuse?: Reuse;
};

/** Bytes of a workflow's input: the server takes 2 MiB. */
const maxInputBytes = 1_500_000;

/** What the workflow of a run is started with. Fails with `RunProblem` where the server would not take it. */
export function runInput(plan: Plan, start: RunStart, reuse: Reuse = {}): RunInput {
  const input: RunInput = { plan, start, ...(Object.keys(reuse).length > 0 && { reuse }) };
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > maxInputBytes)
    throw new RunProblem(
      `plan and reused results have ${bytes.toLocaleString('en-US')} bytes, at most ${maxInputBytes.toLocaleString('en-US')} can start a run`,
      'reuse fewer steps: --from an earlier one',
    );
  return input;
}

/** How the workflow of a run is started, by whomever: everything but its id, its memo and its input. */
export const startSettings = (store: string) =>
  ({
    taskQueue: taskQueueOf(rootOf(store)),
    // A worker killed inside a workflow task stalls the run for this long; the usual 10 s are felt.
    workflowTaskTimeout: '5s',
  }) as const;

/**
 * Starts a run, which does the rest itself. Fails with `RunHeld` where another run holds the key of one that would be refused: it asks for
 * its key itself, but nobody is to wait for that, nor to find a run that has done nothing.
 */
export const startRun = async ({
  client,
  plan,
  start,
  reuse,
}: StartOptions): Promise<{ workflowId: string; runId: string; store: string }> => {
  const { id: run, store } = runOf(plan, start);
  const settings = startSettings(start.store);
  const { concurrency } = plan;
  if (concurrency && whenHeldOf(concurrency, start.origin) === 'reject') {
    const holder = await lockHolder(client, settings.taskQueue, concurrency.key);
    if (holder) throw new RunHeld(concurrency.key, holder);
  }
  const { firstExecutionRunId } = await client.workflow
    .start(workflowType, {
      ...settings,
      workflowId: run,
      args: [runInput(plan, start, reuse)],
      memo: factsOf(plan, start),
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      staticSummary: `${plan.pipeline} · run ${run}`,
    })
    .catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      throw new RunProblem(`there is a run ${run} already`, 'start again: the new run gets another id');
    });
  return { workflowId: run, runId: firstExecutionRunId, store };
};
