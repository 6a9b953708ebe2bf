import { uptime } from '../text/uptime.ts';

/** Time as permits see it. `keepAlive`: the process must not end before. */
export type Clock = { now(): number; after(ms: number, run: () => void, keepAlive: boolean): () => void };

/** The machine's own time, in milliseconds since it started. */
export const machineClock: Clock = {
  now: uptime,
  after(ms, run, keepAlive) {
    // Node takes no longer timer; waking early only looks again.
    const timer = setTimeout(run, Math.min(2_000_000_000, Math.ceil(ms)));
    if (!keepAlive) timer.unref();
    return () => clearTimeout(timer);
  },
};
