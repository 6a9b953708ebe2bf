import { uptime } from 'node:os';

/** Milliseconds of clocks: `steady` goes on while the process is stopped, `waking` also while the machine sleeps. */
export type Clocks = { steady: () => number; wall: () => number; waking: () => number };

/** A sleep moves the wall clock against the steady one; what is less than this adds up until it is noticed. */
const noticedMs = 10;

/**
 * Milliseconds of this machine. Goes on while the process is stopped; on Linux also while the machine sleeps. The uptime, dear to read,
 * is read again only where the wall clock has moved against the steady one, as the kernel moves it by the length of each sleep.
 */
export function createWakingClock({ steady, wall, waking }: Clocks): () => number {
  const started = waking() - steady();
  let apart = wall() - steady();
  let slept = 0;
  return () => {
    const now = steady();
    if (Math.abs(wall() - now - apart) >= noticedMs) {
      apart = wall() - now;
      slept = Math.max(slept, waking() - started - now);
    }
    return now + slept;
  };
}

export const wakingClock = createWakingClock({
  steady: () => performance.now(),
  wall: () => Date.now(),
  waking: () => uptime() * 1_000,
});
