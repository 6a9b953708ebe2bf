import { proxyLocalActivities, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { beginActivity, type Plan } from '../pipelines/plan.ts';
import { factsOf, runIdOf, type NamedStart, type RunInput, type RunOrigin } from '../pipelines/run-start.ts';

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

/** Makes the folder of the run. A local activity, because every run waits for it. Fails where the folder is another run's. */
export async function begin(plan: Plan, start: NamedStart): Promise<void> {
  const { workflowId, firstExecutionRunId, startTime } = workflowInfo();
  const { baseDir, host, file, given } = start;
  const { [beginActivity]: act } = proxyLocalActivities<Record<string, (args: unknown) => Promise<void>>>({
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: '1 hour',
    localRetryThreshold: '1 second',
    retry: { initialInterval: 250, backoffCoefficient: 2, maximumInterval: 30_000 },
  });
  await act!({
    plan,
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
}
