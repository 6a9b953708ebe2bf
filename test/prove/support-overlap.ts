import type { Schedule } from '../../pipelines/file/schedule.ts';

/** A time at which a schedule was due, and when the server saw that it was: later than due where it was away. */
export type Window = { at: number; seen: number };

/**
 * Which windows run by the table of docs/schedules.md, where each run ends when it really did (`endOf`; a run that is not known takes no
 * time). What was seen at one moment came together.
 */
export function dueRuns(
  windows: readonly Window[],
  { overlap, catchUpMs }: { overlap: Schedule['overlap']; catchUpMs: number },
  endOf: (at: number) => number | undefined,
): number[] {
  const due = windows.filter(({ at, seen }) => seen - at <= catchUpMs);
  if (overlap === 'allowAll') return due.map(({ at }) => at);
  const runs: number[] = [];
  let kept: number[] = [];
  let busyUntil = -Infinity;
  const start = (at: number, now: number): void => {
    runs.push(at);
    busyUntil = endOf(at) ?? now;
  };
  /** What begins while nothing runs: the first that was kept; of those that end each other the last. */
  const next = (now: number): void => {
    const [first, ...rest] = overlap === 'cancelOther' ? kept.slice(-1) : kept;
    kept = rest;
    if (first !== undefined) start(first, now);
  };
  /** Runs that end before a moment make room for those that were kept. */
  const endThoseBefore = (moment: number): void => {
    while (kept.length > 0 && busyUntil <= moment) next(busyUntil);
  };
  const mostKept = { skip: 0, bufferOne: 1, bufferAll: Infinity, cancelOther: Infinity }[overlap];
  for (const [seen, together] of Map.groupBy(due, (window) => window.seen)) {
    endThoseBefore(seen);
    kept.push(...together.map(({ at }) => at));
    // One of them begins at once where nothing runs; of the others so many are kept.
    if (busyUntil <= seen) next(seen);
    kept = kept.slice(0, mostKept);
  }
  endThoseBefore(Infinity);
  return runs;
}
