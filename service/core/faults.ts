import { randomUUID } from 'node:crypto';
import type { ServedOperation } from '../http/handlers.ts';

/** What happens to the call that a fault hits. `hold`, `lose`, `reset: 'after'`, `slow`, `truncate` and `duplicate` let the effect happen. */
export type Disturbance =
  /** This answer instead of the effect. `date`: Retry-After as an HTTP-date two to three seconds ahead. */
  | { status: number; retryAfter?: number | 'date'; detail?: string }
  /** The connection is cut: before the effect, in the middle of the request's body (parts only), after the effect. */
  | { reset: 'before' | 'body' | 'after' }
  /** The same as a reset after the effect. */
  | { lose: 'answer' }
  /** The call is parked until it is released. */
  | { hold: 'before' | 'after' }
  /** The answer's body comes at so many bytes per second. */
  | { slow: { bytesPerSecond: number } }
  /** Half of the answer's body comes, then the connection is cut. */
  | { truncate: 'body' }
  /** The call is carried out twice, one after the other, as by a proxy that sends again; the answer is the second one's. */
  | { duplicate: 'delivery' }
  /** The signed URL has expired (parts only). */
  | { expired: true };

/** Moments inside long work at which it can be held: what a kill finds there is what a test looks at. */
export const moments = [
  'upload.unpacked',
  'upload.adding',
  'removal.marked',
  'file.ingesting',
  'agent.answered',
  'agent.tools',
  'task.begun',
] as const;
export type Moment = (typeof moments)[number];

export type FaultOrder = { operation: ServedOperation | Moment; nth: number; times: number; do: Disturbance };

export type Fault = FaultOrder & { id: string; calls: number; fired: number; occupied: number };
type Waiter = { resolve: (occupied: boolean) => void };

export type Faults = {
  add(order: FaultOrder): string;
  /** Counts one call of the operation and returns what is to happen to it. */
  next(operation: ServedOperation | Moment): Fault | undefined;
  /** Long work has come to a moment inside it: parked there where that was ordered. */
  reach: (moment: Moment) => Promise<void>;
  /** Parks the caller until the fault is released. */
  hold(fault: Fault): Promise<void>;
  /** False for an unknown id. Calls that arrive after the release are no longer held. */
  release(id: string): boolean;
  /** True once a call is parked on the fault; false when time ran out or the fault is gone. */
  occupied(id: string, timeoutMs: number): Promise<boolean>;
  list(): (FaultOrder & { id: string; calls: number; fired: number; occupied: number; unfired: boolean })[];
  /** Forgets all faults and lets every held call go. */
  reset(): void;
};

/** Faults by operation and nth call (1 = the next one), accounted: one that never fired is shown as unfired. */
export const createFaults = (): Faults => {
  let faults: Fault[] = [];
  const parked = new Map<string, (() => void)[]>();
  const released = new Set<string>();
  const waiters = new Map<string, Waiter[]>();

  const resolveWaiters = (id: string, occupied: boolean): void => {
    for (const waiter of waiters.get(id) ?? []) waiter.resolve(occupied);
    waiters.delete(id);
  };
  const release = (id: string): boolean => {
    const fault = faults.find((each) => each.id === id);
    if (!fault) return false;
    released.add(id);
    for (const go of parked.get(id) ?? []) go();
    parked.delete(id);
    fault.occupied = 0;
    return true;
  };

  const next: Faults['next'] = (operation) => {
    const mine = faults.filter((fault) => fault.operation === operation);
    for (const fault of mine) fault.calls += 1;
    const fault = mine.find(({ id, calls, nth, times }) => calls >= nth && calls < nth + times && !released.has(id));
    if (fault) fault.fired += 1;
    return fault;
  };
  const hold: Faults['hold'] = (fault) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (released.has(fault.id)) return Promise.resolve();
    parked.set(fault.id, [...(parked.get(fault.id) ?? []), resolve]);
    fault.occupied += 1;
    resolveWaiters(fault.id, true);
    return promise;
  };

  return {
    add(order) {
      const id = randomUUID();
      faults.push({ ...order, id, calls: 0, fired: 0, occupied: 0 });
      return id;
    },
    next,
    async reach(moment) {
      const fault = next(moment);
      if (fault) await hold(fault);
    },
    hold,
    release,
    occupied(id, timeoutMs) {
      const fault = faults.find((each) => each.id === id);
      if (!fault) return Promise.resolve(false);
      if (fault.occupied > 0) return Promise.resolve(true);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => resolve(false), timeoutMs);
      waiters.set(id, [...(waiters.get(id) ?? []), { resolve }]);
      return promise.finally(() => clearTimeout(timer));
    },
    list: () => faults.map((fault) => ({ ...fault, unfired: fault.fired < fault.times })),
    reset() {
      for (const { id } of faults) {
        release(id);
        resolveWaiters(id, false);
      }
      faults = [];
      released.clear();
    },
  };
};
