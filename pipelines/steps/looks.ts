const first = 100;
const longest = 5_000;

/**
 * Pauses between reads of what may lag behind a write for so many milliseconds, each twice as long as the one before: together they are
 * longer, so that the last read shows what is. How many reads there are does not hang on how long each takes.
 */
export function lagPauses(lagMs: number): number[] {
  const pauses: number[] = [];
  for (let passed = 0, pause = first; passed <= lagMs; pause = Math.min(longest, pause * 2)) {
    passed += pause;
    pauses.push(pause);
  }
  return pauses;
}

/** Reads at most while reads may lag behind a write for so many milliseconds; the last one comes after that. */
export const readsWithin = (lagMs: number): number => lagPauses(lagMs).length + 1;

/**
 * Looks at a build that takes about so many seconds, where it takes four times as long: two a second in its first and last
 * ten seconds, between them one for each twentieth of what has passed or is left, and at least four a minute.
 */
export function looksWithin(seconds: number): number {
  const longest = 4 * seconds;
  return 40 + Math.ceil(41 * Math.log(Math.max(1, longest / 10))) + Math.ceil(longest / 15);
}
