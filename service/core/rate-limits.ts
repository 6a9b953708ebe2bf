import { limits as published } from '../../contracts/limits.ts';
import type { LimitClass } from '../../contracts/limits.ts';
import { uptime } from '../../text/uptime.ts';

export type Window = { count: number; seconds: number };
/** How many requests a subject may send, how many of them are left, and after how many milliseconds all of them will be. */
export type WindowState = { count: number; left: number; resetInMs: number };
export type Subjects = Record<'address' | 'user' | 'key', string>;

export type Limits = {
  /** Counts one request, or gives as `wait` the whole seconds (≥ 1) after which the next is accepted. `window`: where a limit holds. */
  take(limitClass: LimitClass, subjects: Subjects): { wait: number | null; window?: WindowState };
  /** `null` lifts the limit. */
  set(limitClass: LimitClass, window: Window | null): void;
  reset(): void;
  list(): Record<string, Window>;
  /** Subjects of whom requests are counted: memory of a service that runs for weeks. */
  subjects(): number;
};

const isClass = (name: string): name is LimitClass => Object.hasOwn(published, name);

const defaults = (): Map<LimitClass, Window> =>
  new Map(
    Object.entries(published).flatMap(([name, { count, seconds }]) =>
      isClass(name) && count !== null ? [[name, { count, seconds }] as const] : [],
    ),
  );

/** So often what no window holds any more is forgotten. */
const pruneMs = 60_000;

/** Sliding windows by class and subject: never more than `count` accepted requests in any window, on a clock that nothing sets. */
export const createLimits = (): Limits => {
  let windows = defaults();
  const accepted = new Map<LimitClass, Map<string, number[]>>();
  let prunedAt = uptime();
  const prune = (at: number): void => {
    prunedAt = at;
    for (const [limitClass, subjects] of accepted) {
      const since = at - (windows.get(limitClass)?.seconds ?? 0) * 1_000;
      for (const [subject, stamps] of subjects) if (!stamps.some((stamp) => stamp > since)) subjects.delete(subject);
    }
  };
  return {
    take(limitClass, subjects) {
      const window = windows.get(limitClass);
      if (!window) return { wait: null };
      const subject = subjects[published[limitClass].subject];
      const at = uptime();
      if (at - prunedAt > pruneMs) prune(at);
      const ofClass = accepted.get(limitClass) ?? new Map<string, number[]>();
      const stamps = (ofClass.get(subject) ?? []).filter((stamp) => stamp > at - window.seconds * 1_000);
      accepted.set(limitClass, ofClass.set(subject, stamps));
      if (stamps.length < window.count) {
        stamps.push(at);
        return { wait: null, window: { count: window.count, left: window.count - stamps.length, resetInMs: window.seconds * 1_000 } };
      }
      const resetInMs = (stamps.at(-1) ?? at) + window.seconds * 1_000 - at;
      const free = window.count === 0 ? at + window.seconds * 1_000 : stamps[stamps.length - window.count]! + window.seconds * 1_000;
      return { wait: Math.max(1, Math.ceil((free - at) / 1_000)), window: { count: window.count, left: 0, resetInMs } };
    },
    set(limitClass, window) {
      if (window) windows.set(limitClass, window);
      else windows.delete(limitClass);
      accepted.delete(limitClass);
    },
    reset() {
      windows = defaults();
      accepted.clear();
    },
    list: () => Object.fromEntries(windows),
    subjects: () => [...accepted.values()].reduce((sum, { size }) => sum + size, 0),
  };
};
