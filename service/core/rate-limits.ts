import { limits as published } from '../../contracts/limits.ts';
import type { LimitClass } from '../../contracts/limits.ts';
import { uptime } from '../../text/uptime.ts';

export type Window = { count: number; seconds: number };
export type Subjects = Record<'address' | 'user' | 'key', string>;

export type Limits = {
  /** Counts one request, or returns the whole seconds (≥ 1) after which the next is accepted. */
  take(limitClass: LimitClass, subjects: Subjects): number | null;
  /** `null` lifts the limit. */
  set(limitClass: LimitClass, window: Window | null): void;
  reset(): void;
  list(): Record<string, Window>;
};

const isClass = (name: string): name is LimitClass => Object.hasOwn(published, name);

const defaults = (): Map<LimitClass, Window> =>
  new Map(
    Object.entries(published).flatMap(([name, { count, seconds }]) =>
      isClass(name) && count !== null ? [[name, { count, seconds }] as const] : [],
    ),
  );

/** Sliding windows by class and subject: never more than `count` accepted requests in any window, on a clock that nothing sets. */
export const createLimits = (): Limits => {
  let windows = defaults();
  const accepted = new Map<string, number[]>();
  return {
    take(limitClass, subjects) {
      const window = windows.get(limitClass);
      if (!window) return null;
      const key = `${limitClass} ${subjects[published[limitClass].subject]}`;
      const at = uptime();
      const stamps = (accepted.get(key) ?? []).filter((stamp) => stamp > at - window.seconds * 1_000);
      accepted.set(key, stamps);
      if (stamps.length < window.count) {
        stamps.push(at);
        return null;
      }
      const free = window.count === 0 ? at + window.seconds * 1_000 : stamps[stamps.length - window.count]! + window.seconds * 1_000;
      return Math.max(1, Math.ceil((free - at) / 1_000));
    },
    set(limitClass, window) {
      if (window) windows.set(limitClass, window);
      else windows.delete(limitClass);
      for (const key of accepted.keys()) if (key.startsWith(`${limitClass} `)) accepted.delete(key);
    },
    reset() {
      windows = defaults();
      accepted.clear();
    },
    list: () => Object.fromEntries(windows),
  };
};
