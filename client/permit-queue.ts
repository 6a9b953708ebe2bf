import type { Clock } from './clock.ts';
import { schedulePlaces, type Place, type Used, type Window } from './permit-schedule.ts';

/** A place in the order of asking. */
export type Reservation = {
  /** When it may be used, as things stand, on the clock of the permits: a closing moves it back, places given back move it forward. */
  readonly at: number;
  /** Milliseconds until then. */
  readonly inMs: number;
  /**
   * Waits for its turn: true when the request may be sent now; false as soon as that is more than `withinMs` away.
   * The place then stays for its holder, until some seconds after its time.
   */
  ready(withinMs: number, signal?: AbortSignal): Promise<boolean>;
  /** The request has been counted by the service: an answer came, or none will. */
  confirm: () => void;
  /** Nothing was sent: the place is the next one's. Without effect once confirmed. */
  giveBack: () => void;
};

/** A service counts a request at most so long after it was sent: without an answer it is taken as counted then. */
const landMs = 1_000;

/** How long a place is kept for a holder that does not come at its time. */
const graceMs = 5_000;

/** Requests under way at a time, after a closing, from which on the class is as open as before. */
const wide = 64;

export type PermitQueue = ReturnType<typeof createPermitQueue>;

/**
 * The order of one limit class at one gate. Places are granted strictly in the order of asking and by one timer, never
 * more than the window has, and none while the class is closed. After a closing one request goes first; each
 * that is answered without closing the class again lets two follow, so that waiters do not all come back at once.
 * `closedElsewhere` is asked before each decision: until when other processes know the class to be closed.
 */
export function createPermitQueue(window: Window | undefined, clock: Clock, closedElsewhere: () => number = () => 0) {
  const windowMs = (window?.seconds ?? 0) * 1_000;
  let closedUntil = 0;
  let width = Infinity;
  let queue: Place[] = [];
  let used: Used[] = [];
  let disarm: (() => void) | undefined;

  const close = (until: number): void => {
    if (until <= closedUntil) return;
    closedUntil = until;
    width = 1;
  };
  const land = (each: Used, at: number): void => {
    if (each.landed) return;
    each.landed = true;
    each.stamp = Math.min(each.stamp, at);
    if (each.grantedAt < closedUntil) return;
    width += each.count;
    if (width >= wide) width = Infinity;
  };
  const underWay = (): number => used.reduce((sum, { count, landed }) => sum + (landed ? 0 : count), 0);

  const keptUntil = ({ dueSince = 0, comesAt }: Place): number => Math.max(dueSince, comesAt) + graceMs;

  /** Takes in what time and other processes have brought. */
  const refresh = (now: number): void => {
    close(closedElsewhere());
    for (const each of used) if (each.stamp <= now) land(each, now);
    used = used.filter(({ landed, stamp }) => !landed || stamp + windowMs > now);
    queue = queue.filter((place) => place.dueSince === undefined || keptUntil(place) > now);
  };
  const schedule = (now: number): void => schedulePlaces(queue, used, window, Math.max(now, closedUntil), now);
  const mayGo = (count: number): boolean => {
    const busy = width === Infinity ? 0 : underWay();
    return busy === 0 || busy + count <= width;
  };
  const end = (place: Place, granted: boolean): void => {
    const { resolve } = place;
    delete place.resolve;
    place.comesAt = place.at;
    resolve?.(granted);
  };
  const arm = (now: number): void => {
    disarm?.();
    disarm = undefined;
    const next = queue.map((place) => {
      if (place.resolve) return Math.min(place.at > now ? place.at : Infinity, place.patience);
      return place.dueSince === undefined ? place.at : keptUntil(place);
    });
    if (next.length === 0) return;
    const landing = used.flatMap(({ landed, stamp }) => (landed ? [] : [stamp]));
    const at = Math.min(...next, ...landing);
    disarm = clock.after(
      Math.max(0, at - now),
      look,
      queue.some(({ resolve }) => resolve),
    );
  };
  const look = (): void => {
    const now = clock.now();
    refresh(now);
    schedule(now);
    for (const place of [...queue]) {
      if (!place.resolve) continue;
      if (place.at > now || !mayGo(place.count)) break;
      queue.splice(queue.indexOf(place), 1);
      use(place, now);
      end(place, true);
      schedule(now);
    }
    for (const place of queue) if (place.resolve && (place.at > place.patience || place.patience <= now)) end(place, false);
    arm(now);
  };
  const use = (place: Place, now: number): void => {
    // Where nothing counts requests and nothing holds them back, none is remembered.
    if (!window && width === Infinity) return;
    place.used = { count: place.count, grantedAt: now, stamp: now + landMs, landed: false };
    used.push(place.used);
  };

  return {
    /** Fails with `RangeError` where the window never has so many at a time. */
    reserve(count = 1, holder?: string): Reservation {
      if (window && count > window.count)
        throw new RangeError(`${count} requests at a time were asked for; the limit has ${window.count} in ${window.seconds} s`);
      const kept = holder === undefined ? undefined : queue.find((place) => place.holder === holder && !place.resolve);
      const place: Place = kept ?? { count, holder, at: 0, comesAt: 0, patience: 0 };
      if (!kept) queue.push(place);
      const now = clock.now();
      refresh(now);
      schedule(now);
      place.comesAt = place.at;
      arm(now);
      return {
        get at() {
          return place.at;
        },
        get inMs() {
          return Math.max(0, place.at - clock.now());
        },
        async ready(withinMs, signal) {
          signal?.throwIfAborted();
          const { promise, resolve } = Promise.withResolvers<boolean>();
          place.resolve = resolve;
          place.patience = clock.now() + withinMs;
          delete place.dueSince;
          // Its holder came too late: it asks anew.
          if (!queue.includes(place)) queue.push(place);
          const stop = (): void => {
            queue = queue.filter((each) => each !== place);
            end(place, false);
            look();
          };
          signal?.addEventListener('abort', stop, { once: true });
          look();
          const mine = await promise;
          signal?.removeEventListener('abort', stop);
          signal?.throwIfAborted();
          return mine;
        },
        confirm() {
          if (!place.used || place.used.landed) return;
          land(place.used, clock.now());
          look();
        },
        giveBack() {
          queue = queue.filter((other) => other !== place);
          if (place.used && !place.used.landed) used = used.filter((other) => other !== place.used);
          look();
        },
      };
    },
    /** Closed until a time of the clock; an earlier, longer closing stands. */
    close(until: number): void {
      close(until);
      look();
    },
    /** Until when it is closed, as far as is known; in the past where it is open. */
    closedUntil(): number {
      close(closedElsewhere());
      return closedUntil;
    },
  };
}
