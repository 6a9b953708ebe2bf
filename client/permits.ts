import type { LimitSubject } from '../contracts/limits.ts';
import { Throttled } from './errors.ts';
import { createPermitQueue, type PermitQueue, type Reservation } from './permit-queue.ts';
import type { Window } from './permit-schedule.ts';
import { machineClock, type Clock } from './clock.ts';

/**
 * The gate at the one place where requests leave. A place is reserved in the order of asking, waited for, and then
 * confirmed or given back.
 */
export type Permits = {
  /** `holder`: whoever asks again by the same name gets the place that is kept for it. `count`: requests that the place stands for. */
  reserve(limit: string, options?: { count?: number; holder?: string }): Promise<Reservation>;
  /** Nobody at this gate sends a request of the class for so many milliseconds. An earlier, longer closing stands. */
  closed(limit: string, ms: number): void;
  /** Milliseconds for which the class is closed still. */
  remaining(limit: string): number;
};

/** What other processes know: until when a limit is closed, on the clock of the machine. */
export type Closings = { until(limit: string): number; add(limit: string, until: number): void };

/** A timer may fire early by a fraction of a millisecond, and the service measures too. */
const marginMs = 15;

type Known = Partial<Record<string, { count: number | null; seconds: number }>>;

/** Permits of one process for one subject at one service. Known limits are sliding windows; unknown ones are open until closed. */
export function createPermits(known: Known = {}, { clock = machineClock, kept }: { clock?: Clock; kept?: Closings } = {}): Permits {
  const queues = new Map<string, PermitQueue>();
  const queueOf = (limit: string): PermitQueue => {
    const found = queues.get(limit);
    if (found) return found;
    const queue = createPermitQueue(windowOf(known[limit]), clock, kept && (() => kept.until(limit)));
    queues.set(limit, queue);
    return queue;
  };
  return {
    reserve: async (limit, { count, holder } = {}) => queueOf(limit).reserve(count, holder),
    closed(limit, ms) {
      const queue = queueOf(limit);
      const until = clock.now() + ms + marginMs;
      if (until <= queue.closedUntil()) return;
      kept?.add(limit, until);
      queue.close(until);
    },
    remaining: (limit) => Math.max(0, queueOf(limit).closedUntil() - clock.now()),
  };
}

const windowOf = (limit: Known[string]): Window | undefined => (limit?.count ? { count: limit.count, seconds: limit.seconds } : undefined);

/** One gate for each subject that a service counts by; a limit is kept at the gate of its own. */
export function permitsBySubject(gates: Readonly<Record<LimitSubject, Permits>>, subjectOf: (limit: string) => LimitSubject): Permits {
  const at = (limit: string): Permits => gates[subjectOf(limit)];
  return {
    reserve: (limit, options) => at(limit).reserve(limit, options),
    closed: (limit, ms) => at(limit).closed(limit, ms),
    remaining: (limit) => at(limit).remaining(limit),
  };
}

/** Longest wait in place: anything longer gives the slot back. */
const inPlaceMs = 1_500;

/**
 * What a call says of itself when it asks for its place. `holder`: the same for every attempt of the same call. `fence`: passed when the
 * turn has come; throws where the call is no longer this process's to send.
 */
export type Asking = {
  operation: string;
  requestId: string;
  holder?: string | undefined;
  signal?: AbortSignal | undefined;
  fence?: (() => Promise<void>) | undefined;
};

/** The place of a call whose turn it is. Throws `Throttled` where that is too long to wait for; its place is kept if it has a holder. */
export async function admit(permits: Permits, limit: string, asking: Asking): Promise<Reservation> {
  const { operation, requestId, holder, signal, fence } = asking;
  const place = await permits.reserve(limit, holder === undefined ? {} : { holder });
  const shut = (waitMs: number): Throttled => new Throttled({ operation, requestId, limit, waitMs, sent: false });
  let kept = false;
  let granted = false;
  try {
    if (!(await place.ready(inPlaceMs, signal))) {
      kept = holder !== undefined;
      throw shut(place.inMs);
    }
    await fence?.();
    // The class may have been closed meanwhile.
    if (permits.remaining(limit) > 0) throw shut(permits.remaining(limit));
    granted = true;
    return place;
  } finally {
    if (!granted && !kept) place.giveBack();
  }
}
