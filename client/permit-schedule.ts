/** At most `count` requests in any `seconds`. */
export type Window = { count: number; seconds: number };

/** A place in the order of asking, as the queue keeps it. */
export type Place = {
  count: number;
  holder: string | undefined;
  at: number;
  /** Since when it could be used and nobody waits for it. */
  dueSince?: number;
  /** The time that its holder was last given. */
  comesAt: number;
  /** Of one that is waited for: ends the wait. */
  resolve?: (granted: boolean) => void;
  /** When the wait in place ends. */
  patience: number;
  /** Once it was granted, where requests are counted. */
  used?: Used;
};

/** A place that is used: counted at `stamp` at the latest. */
export type Used = { count: number; grantedAt: number; stamp: number; landed: boolean };

/**
 * Sets when each place may be used, in their order: from `soonest` on, and never more than the window has beside what is used
 * and what stands before it.
 */
export function schedulePlaces(
  places: readonly Place[],
  used: readonly Used[],
  window: Window | undefined,
  soonest: number,
  now: number,
): void {
  const stamps = window ? used.flatMap(({ count, stamp }) => Array<number>(count).fill(stamp)).sort((a, b) => a - b) : [];
  for (const place of places) {
    if (window) {
      const last = stamps[stamps.length - window.count + place.count - 1];
      if (last !== undefined) soonest = Math.max(soonest, last + window.seconds * 1_000);
      const behind = stamps.findLastIndex((stamp) => stamp <= soonest) + 1;
      stamps.splice(behind, 0, ...Array<number>(place.count).fill(soonest));
    }
    place.at = soonest;
    if (place.resolve || place.at > now) delete place.dueSince;
    else place.dueSince ??= now;
  }
}
