import { ActivityFailure, proxyActivities, proxyLocalActivities, sleep, TimeoutFailure } from '@temporalio/workflow';
import { silentInMs } from '../../pipelines/last-effect.ts';
import { lookActivity, watchActivity, type Holder, type LockRun } from '../../pipelines/lock.ts';
import type { SeenRun } from '../../pipelines/see-run.ts';

type Sees = Record<string, (run: LockRun) => Promise<SeenRun>>;

/** Asked of the server on this worker, at once. Counts as open where none could be asked within seconds. */
export function look(holder: Holder): Promise<SeenRun> {
  const proxy = proxyLocalActivities<Sees>({
    startToCloseTimeout: '3 seconds',
    scheduleToCloseTimeout: '10 seconds',
    retry: { initialInterval: 250, backoffCoefficient: 1 },
  });
  return proxy[lookActivity]!(holder).catch(() => ({ open: true }));
}

/** Resolves when the run has ended: what `looks` sees counts while no worker is free to watch it. */
export async function untilEnded(holder: Holder, looks: typeof look): Promise<SeenRun> {
  for (;;) {
    const seen = await watch(holder).catch((error: unknown) => {
      if (!isUntaken(error)) throw error;
      return looks(holder);
    });
    if (!seen.open) return seen;
  }
}

/** Resolves when nothing is sent any more of a run that has ended without a word. */
export async function untilSilent(seen: SeenRun): Promise<void> {
  const left = silentInMs(seen, Date.now());
  if (left > 0) await sleep(left);
}

/**
 * Ends when the run has ended. Its looks are attempts of one activity, which write no events; they come before other work that waits for
 * a worker. Fails where the worker takes none within seconds, because work that has begun keeps its place.
 */
function watch(holder: Holder): Promise<SeenRun> {
  const proxy = proxyActivities<Sees>({
    scheduleToStartTimeout: '3 seconds',
    startToCloseTimeout: '2 seconds',
    retry: { initialInterval: 1_000, backoffCoefficient: 1, maximumInterval: 1_000 },
    cancellationType: 'TRY_CANCEL',
    priority: { priorityKey: 1 },
    activityId: `watch/${holder.firstRunId}`,
    summary: `until run ${holder.run} has ended`,
  });
  return proxy[watchActivity]!(holder);
}

const isUntaken = (error: unknown): boolean =>
  error instanceof ActivityFailure && error.cause instanceof TimeoutFailure && error.cause.timeoutType === 'SCHEDULE_TO_START';
