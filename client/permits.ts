import { setTimeout as sleep } from 'node:timers/promises';
import type { Limit } from '../contracts/limits.ts';

/**
 * The gate at the one place where requests leave. `take` answers when a request of the class may be sent, or the
 * milliseconds until then where that is too long to wait in place.
 */
export type Permits = {
  take(limit: string, signal?: AbortSignal): Promise<{ waitMs: number } | undefined>;
  /** Nobody in this process sends a request of the class for so many milliseconds. An earlier, longer closing stands. */
  closed(limit: string, ms: number): void;
  /** Milliseconds for which the class is closed still. */
  remaining(limit: string): number;
};

/** What outlives the process: which limits are closed, and for how many milliseconds still. */
export type Closings = { read(): { limit: string; ms: number }[]; write(limit: string, ms: number): void };

/** Longest wait in place: anything longer gives the slot back. */
const inPlaceMs = 1_500;

/** A timer may fire early by a fraction of a millisecond, and the service measures too. */
const marginMs = 15;

/** Permits of one process for one subject at one service. Known limits are sliding windows; unknown ones are open until closed. */
export function createPermits(
  known: Partial<Record<string, Pick<Limit, 'count' | 'seconds'>>> = {},
  { now = () => performance.now(), kept }: { now?: () => number; kept?: Closings } = {},
): Permits {
  const closedUntil = new Map((kept?.read() ?? []).map(({ limit, ms }) => [limit, now() + ms]));
  const sent = new Map<string, number[]>();

  const windowWait = (limit: string): number => {
    const window = known[limit];
    if (!window?.count) return 0;
    const since = now() - window.seconds * 1_000;
    const recent = (sent.get(limit) ?? []).filter((at) => at > since);
    sent.set(limit, recent);
    return recent.length < window.count ? 0 : recent[recent.length - window.count]! - since;
  };
  const remaining = (limit: string): number => Math.max(0, (closedUntil.get(limit) ?? 0) - now());

  return {
    remaining,
    closed(limit, ms) {
      closedUntil.set(limit, Math.max(closedUntil.get(limit) ?? 0, now() + ms + marginMs));
      kept?.write(limit, ms + marginMs);
    },
    async take(limit, signal) {
      for (;;) {
        const waitMs = Math.max(remaining(limit), windowWait(limit));
        if (waitMs > inPlaceMs) return { waitMs };
        if (waitMs <= 0) break;
        await sleep(Math.ceil(waitMs) + 1, undefined, signal ? { signal } : {});
      }
      if (known[limit]?.count) sent.get(limit)!.push(now());
      return undefined;
    },
  };
}
