/** Random choices that a seed decides. */
export type Draw = {
  /** A whole number from 0 to below `most`. */
  below(most: number): number;
  pick<T>(from: readonly T[]): T;
};

/** mulberry32: the same seed gives the same choices on every machine. */
export function createDraw(seed: number): Draw {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number): number => Math.floor(next() * most);
  return { below, pick: (from) => from[below(from.length)]! };
}
