/** Pauses between reads of what may lag behind a write, in milliseconds: each twice as long as the one before. */
export const lagPauses = { first: 100, longest: 5_000 } as const;

/** Reads at most while reads may lag behind a write for so many milliseconds; the last one comes after that. */
export function readsWithin(lagMs: number): number {
  let reads = 1;
  for (let passed = 0, pause: number = lagPauses.first; passed <= lagMs; pause = Math.min(lagPauses.longest, pause * 2)) {
    passed += pause;
    reads++;
  }
  return reads;
}

/**
 * Looks at a build that takes about so many seconds, where it takes four times as long: two a second in its first and last
 * ten seconds, between them one for each twentieth of what has passed or is left, and at least four a minute.
 */
export function looksWithin(seconds: number): number {
  const longest = 4 * seconds;
  return 40 + Math.ceil(41 * Math.log(Math.max(1, longest / 10))) + Math.ceil(longest / 15);
}
