import type { RunView } from '../../workflows/messages.ts';
import type { Stack, WorkerOptions } from '../support/stack.ts';
import { flights, outcomeOf, type Outcome } from './support-flights.ts';
import { startText } from './support-run.ts';

/** Where a round kills: the victim, the step, and the call that is held when it dies. */
export type Kill = {
  victim: 'worker' | 'service' | 'temporal';
  step: string;
  operation: string;
  /** Which call of the operation in this run; the first by default. */
  nth?: number;
  /** `after`: the effect has happened and its answer has not been sent. */
  hold: 'before' | 'after';
};

export type Round = {
  /** The victim's process ended by SIGKILL while the call was held. */
  killed: boolean;
  view: RunView;
  /** Absent where the run did not end well. */
  outcome: Outcome | undefined;
  /** Rows of the journal, of this round alone. */
  repeated: number;
  harmless: number;
  /** Seconds from the kill to the first new call, by the service's log. */
  firstCall: number;
  /** Seconds from there to the start of the step after the one that was hit, or to the run's end. */
  nextStep: number;
  seconds: number;
};

let rounds = 0;

/** One run of the five steps on the flights of a file; with a kill while the named call is held, which fails where the run has no such call. */
export async function round(stack: Stack, source: string, kill?: Kill, worker: WorkerOptions = {}): Promise<Round> {
  const { control } = stack;
  const slug = `flights-${++rounds}`;
  const started = Date.now();
  const seen = new Set((await control.requests()).rows.map((row) => row.process));
  const fault = kill && (await control.fault(kill.operation, kill.nth ?? 1, { hold: kill.hold }));
  const run = await startText(stack, flights, { source, dataset: slug });
  if (fault && !(await control.held(fault.id, 30_000)))
    throw new Error(`call ${kill.nth ?? 1} of ${kill.operation} was not held: nothing is shown, and the fault would hit a later run`);
  for (const row of (await control.requests()).rows) seen.add(row.process);
  const killedAt = Date.now();
  const killed = kill !== undefined && (await strike(stack, kill.victim, worker, () => control.release(fault!.id)));
  const view = await run.ended(60_000);
  const ended = (await run.handle.describe()).closeTime!.getTime();
  const [{ rows }, journal] = await Promise.all([control.requests(), control.journal()]);
  // A killed worker's last requests may still have been on their way.
  const first = rows.find((row) => row.at > killedAt && (kill?.victim !== 'worker' || !seen.has(row.process)));
  const at = view.steps.findIndex(({ id }) => id === kill?.step);
  const next = Date.parse(view.steps[at + 1]?.startedAt ?? new Date(ended).toISOString());
  const mine = journal.rows.filter((row) => row.at >= started);
  return {
    killed,
    view,
    repeated: journal.repeated.filter((row) => row.at >= started).length,
    harmless: mine.filter(({ changed }) => changed === 0).length,
    firstCall: ((first?.at ?? Infinity) - killedAt) / 1_000,
    nextStep: (next - (first?.at ?? 0)) / 1_000,
    seconds: (ended - started) / 1_000,
    outcome: view.state === 'done' ? await outcomeOf(stack, run, view, slug) : undefined,
  };
}

async function strike(stack: Stack, victim: Kill['victim'], worker: WorkerOptions, release: () => Promise<unknown>): Promise<boolean> {
  if (victim === 'service') {
    const { signal } = await stack.service.kill();
    await stack.service.start();
    return signal === 'SIGKILL';
  }
  if (victim === 'worker') {
    const { signal } = await stack.worker.kill();
    await Promise.all([release(), stack.worker.start(0, worker)]);
    return signal === 'SIGKILL';
  }
  const before = stack.temporal.pid;
  await stack.temporal.kill();
  await stack.temporal.start();
  await release();
  return stack.temporal.pid !== before;
}
