import { activityInfo, cancellationSignal, Context, heartbeat, type Info } from '@temporalio/activity';
import { ApplicationFailureCategory, CancelledFailure, type ApplicationFailure } from '@temporalio/common';
import type { Heartbeat, Progress } from '../../pipelines/phases.ts';
import { toFailure } from './failure.ts';
import { createFence, GivenAway, type Standing } from './fence.ts';
import type { Protection } from './protection.ts';

/** What the work of an attempt is given to live with the server. */
type Alive = {
  report: (progress: Progress) => void;
  /** Passed before every effect: fails where the attempt was given away, or its run was cancelled. */
  fence: () => Promise<void>;
  /** Passed before a record of what was done: a cancellation does not stop that. */
  held: () => Promise<void>;
  /** How often the fence was passed. */
  effectsSent: () => number;
  signal: AbortSignal;
};

export type Guards = {
  /** Asks the server about an attempt by its token, with its last heartbeat. */
  confirm: (taskToken: Uint8Array, latest: Heartbeat) => Promise<Standing>;
  protect: Protection;
};

/** What was sent when a run is cancelled has so long to be answered. */
const graceMs = 5_000;

/** Which attempt of an activity this is, from 1: those that ended to wait, or to look again, are none. */
export const attemptOf = ({ attempt, heartbeatDetails }: Pick<Info, 'attempt' | 'heartbeatDetails'>): number =>
  attempt - ((heartbeatDetails as Heartbeat | undefined)?.waits ?? 0);

/**
 * Heartbeats while the work runs, with the progress last reported; errors leave as Temporal failures. Of a cancelled run nothing
 * more is sent; what was sent is waited for, so that its answer is recorded.
 */
export async function guarded(
  { confirm, protect }: Guards,
  work: (alive: Alive) => Promise<unknown>,
  {
    soonestMs = 0,
    explain = (error) => error,
    onError,
    onCancelled,
  }: {
    soonestMs?: number;
    /** The cause behind an error, where the frame knows more of it than the work. */
    explain?: (error: unknown) => unknown;
    onError?: (error: unknown, failure: ApplicationFailure) => Promise<void>;
    /** What an attempt returns that its cancelled run has stopped. */
    onCancelled?: () => Promise<unknown>;
  } = {},
): Promise<unknown> {
  const info = activityInfo();
  let latest = (info.heartbeatDetails as Heartbeat | undefined) ?? { waits: 0 };
  let last = performance.now();
  const beat = (): void => {
    last = performance.now();
    heartbeat(latest);
  };
  const timer = setInterval(beat, 1_000);
  const cancelled = cancellationSignal();
  // The library calls listeners outside of the activity.
  const context = Context.current();
  const byRun = (): boolean => context.cancellationDetails?.cancelRequested === true;
  const stop = new AbortController();
  const { signal } = stop;
  const report = (progress: Progress): void => {
    latest = { ...latest, progress };
    if (performance.now() - last >= soonestMs) beat();
  };
  // The library's word that an attempt is over comes too late, or never on a cut connection: without the fence nothing stops it.
  const held = protect.fence
    ? createFence({
        confirm: () => confirm(info.taskToken, latest),
        over: (reason) => stop.abort(reason),
        attemptMs: info.startToCloseTimeoutMs,
        signal,
      })
    : async () => undefined;
  let sent = 0;
  const fence = async (): Promise<void> => {
    if (protect.fence && cancelled.aborted) throw new GivenAway('the run was cancelled: nothing more is sent by this attempt');
    await held();
    sent++;
  };
  let grace: NodeJS.Timeout | undefined;
  const onCancel = (): void => {
    const end = (): void => stop.abort(cancelled.reason);
    if (sent > 0 && byRun()) grace = setTimeout(end, graceMs);
    else end();
  };
  if (protect.fence && cancelled.aborted) onCancel();
  else if (protect.fence) cancelled.addEventListener('abort', onCancel, { once: true });
  try {
    return await work({ report, fence, held, effectsSent: () => sent, signal });
  } catch (error) {
    if (cancelled.aborted) {
      if (onCancelled && byRun()) return await onCancelled();
      throw error instanceof CancelledFailure ? error : new CancelledFailure('cancelled');
    }
    // What the work made of it counts less than why it was stopped.
    const cause = signal.aborted ? signal.reason : explain(error);
    const failure = toFailure(cause, { waits: protect.waits, attempt: info.attempt });
    await onError?.(cause, failure).catch(() => undefined);
    if (failure.category === ApplicationFailureCategory.BENIGN) {
      latest = { ...latest, waits: latest.waits + 1 };
      beat();
    }
    throw failure;
  } finally {
    clearInterval(timer);
    clearTimeout(grace);
    cancelled.removeEventListener('abort', onCancel);
  }
}
