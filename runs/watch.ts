import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunLocation, RunPlace } from './find.ts';
import { isOver, readRun, type RunSnapshot } from './view.ts';

export type WatchOptions = {
  signal?: AbortSignal;
  /** Shortest time between two looks. Without it: 0.25 s at first, growing to `maxMs` within ten seconds, so that a long run is not asked more than once a second. */
  minMs?: number;
  /** Longest time between two looks. @default 1_000 */
  maxMs?: number;
  /** Whether a worker is asked for the steps of an open run. @default true */
  ask?: boolean;
  read?: (place: RunPlace, location: RunLocation) => Promise<RunSnapshot>;
};

const fingerprint = (snapshot: RunSnapshot): string => JSON.stringify([snapshot.view, snapshot.source, snapshot.pending]);

/** Codes of gRPC for a server that does not answer now: cancelled by the channel, too late, too many requests, aborted, internal, unavailable. */
const passing = new Set([1, 4, 8, 10, 13, 14]);

/** A Temporal server that does not answer now. */
export const isPassing = (error: unknown): boolean =>
  isGrpcServiceError(error) ? passing.has(error.code) : error instanceof ServiceError && isPassing(error.cause);

/** Longest time between two tries while Temporal does not answer, and how long the first look is tried for. */
export const retryMs = 2_000;
const firstLookMs = 30_000;

/** While no worker answers, the steps are those last seen. */
const withLastSteps = (snapshot: RunSnapshot, steps: RunSnapshot['view']['steps']): RunSnapshot =>
  snapshot.source === 'server' && steps.length > 0 ? { ...snapshot, view: { ...snapshot.view, steps } } : snapshot;

/**
 * Every change of a run until it is over; the last snapshot is the final one. Looks more rarely while nothing changes.
 * A Temporal server that does not answer ends nothing, for the run goes on: the last steps are shown with `source:
 * 'unreachable'`. Only where it never answered within 30 s does its error leave.
 */
export async function* watchRun(
  place: RunPlace,
  location: RunLocation,
  options: WatchOptions = {},
): AsyncGenerator<RunSnapshot, void, void> {
  const { signal, maxMs = 1_000, ask = true, read = (at, found) => readRun(at, found, { ask }) } = options;
  const begun = Date.now();
  const least = (): number => options.minMs ?? Math.min(maxMs, Math.max(250, (Date.now() - begun) / 10));
  let last = '';
  let steps: RunSnapshot['view']['steps'] = [];
  let pause = least();
  const rest = (ms: number): Promise<void> => delay(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
  let known: RunSnapshot | undefined;
  while (!signal?.aborted) {
    let snapshot: RunSnapshot;
    try {
      snapshot = withLastSteps(await read(place, location), steps);
    } catch (error) {
      if (!isPassing(error) || (!known && Date.now() - begun > firstLookMs)) throw error;
      if (known && known.source !== 'unreachable') yield (known = { ...known, source: 'unreachable' });
      last = '';
      pause = Math.min(retryMs, pause * 2);
      await rest(pause);
      continue;
    }
    known = snapshot;
    steps = snapshot.view.steps;
    const seen = fingerprint(snapshot);
    if (seen !== last) yield snapshot;
    // A run that the cluster has forgotten does not change any more.
    if ((isOver(snapshot.view) && snapshot.source === 'result') || snapshot.source === 'store') return;
    pause = seen === last ? Math.min(maxMs, pause * 2) : least();
    last = seen;
    await rest(pause);
  }
}
