import type { Facts, PlannedCalls } from '../step.ts';

/** The largest number of items among those that are named; null where one of them is known only in the run, undefined where none is named. */
export function mostHanded(numbers: readonly (number | null | undefined)[]): number | null | undefined {
  const named = numbers.filter((each) => each !== undefined);
  return named.length === 0 ? undefined : named.reduce((most, each) => (most === null || each === null ? null : Math.max(most, each)));
}

/** The same as an upper bound: undefined where nothing bounds it. */
export const mostOf = (numbers: readonly (number | null | undefined)[]): number | undefined => mostHanded(numbers) ?? undefined;

/** Batches that so many items make, in chunks of which each is batched by itself, and so on down to the last size. */
export const batchesIn = (items: number, ...[size, ...smaller]: readonly number[]): number =>
  size === undefined ? Math.min(items, 1) : Math.floor(items / size) * batchesIn(size, ...smaller) + batchesIn(items % size, ...smaller);

/** Calls of one operation over so many items in chunks; unbounded where nobody knows how many. */
export const inChunks = (operation: PlannedCalls['operation'], items: number | undefined, ...sizes: readonly number[]): PlannedCalls =>
  items === undefined
    ? { operation, min: 0, max: null, because: 'how many items there are is known only in the run' }
    : { operation, min: 0, max: batchesIn(items, ...sizes) };

/** Operations that this input of a step does not need. */
export const notSent = (...operations: readonly PlannedCalls['operation'][]): PlannedCalls[] =>
  operations.map((operation) => ({ operation, min: 0, max: 0 }));

/**
 * Rows that a dataset holds at most when so many were added: to those that it holds now, or to those of the steps before. Null where
 * nobody has counted either before the run.
 */
export const heldAfter = (rows: number, { items, dataset }: Pick<Facts, 'items' | 'dataset'>): number | null => {
  const held = dataset && mostHanded([items, dataset.rows]);
  return held === undefined || held === null ? null : rows + held;
};
