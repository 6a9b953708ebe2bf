import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { CancelledFailure, type ApplicationFailure } from '@temporalio/common';
import type { Progress } from '../../pipelines/phases.ts';
import { toFailure } from './failure.ts';
import { createFence, type Standing } from './fence.ts';
import type { Protection } from './protection.ts';

/** What the work of an attempt is given to live with the server. */
type Alive = { report: (progress: Progress) => void; fence: () => Promise<void>; signal: AbortSignal };

export type Guards = {
  /** Asks the server about an attempt by its token, with its last progress. */
  confirm: (taskToken: Uint8Array, progress: unknown) => Promise<Standing>;
  protect: Protection;
};

/** Heartbeats while the work runs, with the progress last reported; errors leave as Temporal failures. */
export async function guarded(
  { confirm, protect }: Guards,
  work: (alive: Alive) => Promise<unknown>,
  {
    soonestMs = 0,
    explain = (error) => error,
    onError,
  }: {
    soonestMs?: number;
    /** The cause behind an error, where the frame knows more of it than the work. */
    explain?: (error: unknown) => unknown;
    onError?: (error: unknown, failure: ApplicationFailure) => Promise<void>;
  } = {},
): Promise<unknown> {
  const info = activityInfo();
  let progress = info.heartbeatDetails as Progress | undefined;
  let last = performance.now();
  const beat = (): void => {
    last = performance.now();
    heartbeat(progress);
  };
  const timer = setInterval(beat, 1_000);
  const givenAway = new AbortController();
  // The library's word that an attempt is over comes too late, or never on a cut connection: without the fence nothing stops it.
  const signal = protect.fence ? AbortSignal.any([cancellationSignal(), givenAway.signal]) : givenAway.signal;
  const report = (latest: Progress): void => {
    progress = latest;
    if (performance.now() - last >= soonestMs) beat();
  };
  const fence = protect.fence
    ? createFence({
        confirm: () => confirm(info.taskToken, progress),
        over: (reason) => givenAway.abort(reason),
        attemptMs: info.startToCloseTimeoutMs,
        signal,
      })
    : async () => undefined;
  try {
    return await work({ report, fence, signal });
  } catch (error) {
    if (cancellationSignal().aborted) throw error instanceof CancelledFailure ? error : new CancelledFailure('cancelled');
    // What the work made of it counts less than why it was stopped.
    const cause = givenAway.signal.aborted ? givenAway.signal.reason : explain(error);
    const failure = toFailure(cause, { waits: protect.waits, attempt: info.attempt });
    await onError?.(cause, failure).catch(() => undefined);
    throw failure;
  } finally {
    clearInterval(timer);
  }
}
