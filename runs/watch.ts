import { setTimeout as delay } from 'node:timers/promises';
import type { RunLocation, RunPlace } from './find.ts';
import { isOver, readRun, type RunSnapshot } from './view.ts';

export type WatchOptions = {
  signal?: AbortSignal;
  /** Shortest and longest time between two looks. */
  minMs?: number;
  maxMs?: number;
  read?: (place: RunPlace, location: RunLocation) => Promise<RunSnapshot>;
};

const fingerprint = (snapshot: RunSnapshot): string => JSON.stringify([snapshot.view, snapshot.source, snapshot.pending]);

/** Every change of a run until it is over; the last snapshot is the final one. Looks more rarely while nothing changes. */
export async function* watchRun(
  place: RunPlace,
  location: RunLocation,
  options: WatchOptions = {},
): AsyncGenerator<RunSnapshot, void, void> {
  const { signal, minMs = 250, maxMs = 1_000, read = readRun } = options;
  let last = '';
  let pause = minMs;
  while (!signal?.aborted) {
    const snapshot = await read(place, location);
    const seen = fingerprint(snapshot);
    if (seen !== last) yield snapshot;
    if (isOver(snapshot.view) && snapshot.source === 'result') return;
    pause = seen === last ? Math.min(maxMs, pause * 2) : minMs;
    last = seen;
    await delay(pause, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}
