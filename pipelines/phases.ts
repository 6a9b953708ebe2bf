import type { Json } from '../text/json.ts';

/** Counters of a chunk: summed over the sweep. `done` are its items, `bytes` what it sent. */
export type Counts = Record<string, number>;

/** Stands among the counts of a chunk that was given up before its end: it is sent again. No status has such a name. */
export const partCount = '$part';

/** What the end of a sweep gives where it did what no chunk has counted: its output, and counts beside theirs. */
export type Finished = { $output: Json; counts: Counts };

export const finishedOf = (result: Json): { output: Json; counts: Counts } => {
  const { $output, counts } = (result ?? {}) as Partial<Finished>;
  return $output === undefined ? { output: result, counts: {} } : { output: $output, counts: counts! };
};

/** Stands among the counts of a chunk whose items cost money: billionths of a dollar, whole numbers, so that their sum is exact. */
export const costCount = '$nanoUsd';

/** How far a step is, as the live view shows it. */
export type Progress = {
  done: number;
  total?: number;
  unit: string;
  note?: string;
  /** Bytes sent so far, where the step sends many. */
  bytes?: number;
};

/**
 * What a heartbeat carries from one attempt of an activity to the next. `waits`: attempts that ended to wait, or to look again; what
 * a person reads as attempts is without them.
 */
export type Heartbeat = { waits: number; progress?: Progress };

/** `unit` names the items in the live view. @default 'items' */
export type SweepPrepared<S> = { chunks: number; items: number; unit?: string; state: S; counts?: Counts };

/** What the start of a poll step gives: the output, or what its checks are called with. */
export type Started<O> = { done: true; output: O } | { done: false; token: unknown };

/** What a check gives: the output, or when to look again. */
export type Polled<O> = { done: true; output: O } | { done: false; token: unknown; againMs: number; progress?: Progress };
