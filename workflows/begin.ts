import { proxyLocalActivities, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { lockedKey, whenHeldOf, type LockRequest } from '../pipelines/lock.ts';
import { beginActivity, takeUpActivity, type Plan, type Reuse, type TakeUpInput, type TakenUp } from '../pipelines/plan.ts';
import { factsOf, runIdOf, type NamedStart, type RunFacts, type RunInput, type RunOrigin } from '../pipelines/run-start.ts';

/** Search attributes that the server gives to what a Temporal Schedule starts. */
const scheduled = { by: 'TemporalScheduledById', at: 'TemporalScheduledStartTime' };

/**
 * What its starter left to the run: its id, dated by the time of the schedule that fired it, so that a window that is made up for
 * later is named by itself.
 */
export function named({ plan, start }: RunInput): NamedStart {
  const { startTime, firstExecutionRunId } = workflowInfo();
  const origin = start.origin ?? scheduleOf();
  const at = origin && 'schedule' in origin ? new Date(origin.at) : startTime;
  // The end of it: the server's ids begin with the time.
  const id = start.id ?? runIdOf(plan.pipeline, at, firstExecutionRunId.slice(-8));
  return { ...start, id, ...(origin && { origin }) };
}

function scheduleOf(): RunOrigin | undefined {
  const { searchAttributes } = workflowInfo();
  const [schedule] = searchAttributes[scheduled.by] ?? [];
  const [at] = searchAttributes[scheduled.at] ?? [];
  return typeof schedule === 'string' && at !== undefined
    ? { schedule: nameOf(schedule), at: new Date(at as Date | string).toISOString() }
    : undefined;
}

/** The name of a schedule: its id without the run store before it (`runs/schedule/id.ts`). */
const nameOf = (id: string): string => id.slice(id.lastIndexOf('/') + 1);

/** Makes the memo complete by which a run is found, where its starter could not. */
export function sayWho(plan: Plan, start: NamedStart): void {
  const facts = factsOf(plan, start);
  if (workflowInfo().memo?.['run'] !== facts.run) upsertMemo(facts);
}

/** How the run asks for the key that it is to hold; undefined where it holds none. */
function lockRequest({ concurrency, undoes }: Plan, { id, who, origin }: NamedStart): LockRequest | undefined {
  if (!concurrency) return undefined;
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const by = origin && 'schedule' in origin ? `${who} by schedule ${origin.schedule}` : who;
  const when = whenHeldOf(concurrency, origin);
  return {
    key: lockedKey(concurrency),
    asker: { run: id, workflowId, firstRunId: firstExecutionRunId, who: by, when, ...(undoes && { undoes: true }) },
    at: new Date().toISOString(),
  };
}

const lookUp = {
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '1 hour',
  localRetryThreshold: '1 second',
  retry: { initialInterval: 250, backoffCoefficient: 2, maximumInterval: 30_000 },
} as const;

/** What the run of a pipeline continues, as its start and what it takes over; of every other run nothing changes. */
export async function takeUp(plan: Plan, start: NamedStart, reuse: Reuse | undefined): Promise<{ start: NamedStart; reuse?: Reuse }> {
  const { before, former, ...rest } = start;
  if (!before) return { start, ...(reuse && { reuse }) };
  const { [takeUpActivity]: look } = proxyLocalActivities<Record<string, (args: TakeUpInput) => Promise<TakenUp>>>(lookUp);
  const found = await look!({ run: start.id, plan, before: before.runs, late: before.late, ...(start.turn && { turn: start.turn }) });
  if (found.former.length === 0) return { start: rest };
  upsertMemo({ former: found.former } satisfies Pick<RunFacts, 'former'>);
  return { start: { ...rest, former: { ...former, runs: found.former } }, reuse: found.reuse };
}

/**
 * Makes the folder of the run, and asks for its key: true where the run has it. A local activity, because every run waits for it. Fails
 * where the folder is another run's.
 */
export async function begin(plan: Plan, start: NamedStart): Promise<boolean> {
  const { workflowId, firstExecutionRunId, startTime } = workflowInfo();
  const { baseDir, host, file, given, turn } = start;
  const { [beginActivity]: act } = proxyLocalActivities<Record<string, (args: unknown) => Promise<'held' | 'asked'>>>(lookUp);
  const lock = lockRequest(plan, start);
  const asked = await act!({
    plan,
    ...(lock ? { lock } : {}),
    ...(turn ? { turn } : {}),
    record: {
      ...factsOf(plan, start),
      workflowId,
      firstRunId: firstExecutionRunId,
      startedAt: startTime.toISOString(),
      baseDir,
      host,
      ...(file === undefined ? {} : { file }),
      ...(given === undefined ? {} : { given }),
    },
  });
  return asked !== 'asked';
}
