import { setTimeout as delay } from 'node:timers/promises';

/** Waits for an instant of real time, by which the server's schedules go. */
export const untilTime = (at: number): Promise<void> => delay(Math.max(0, at - Date.now()));

/** The last window of a schedule that is due each so many milliseconds, at or before an instant. */
export const windowBefore = (everyMs: number, at: number): number => Math.floor(at / everyMs) * everyMs;

/**
 * Waits until no window is near, so that nobody can doubt on which side of it the moment lies; schedules that are due in the first half
 * of the time between two windows have run by then. Returns the moment.
 */
export async function between(everyMs: number): Promise<number> {
  const window = windowBefore(everyMs, Date.now());
  const since = Date.now() - window;
  if (since < 0.55 * everyMs) await untilTime(window + 0.6 * everyMs);
  if (since > 0.8 * everyMs) await untilTime(window + 1.6 * everyMs);
  return Date.now();
}

/** Asks each 100 ms until something is so; fails with `what` where that takes too long. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, withinMs = 60_000): Promise<T> {
  for (const end = performance.now() + withinMs; ;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
    await delay(100);
  }
}
