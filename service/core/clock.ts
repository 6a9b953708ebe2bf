/** Epoch milliseconds that never run backwards within one process: for records and pages. */
export const now = (): number => performance.timeOrigin + performance.now();

/** ISO time with fraction and zone, the form that public clients of the maps API parse. */
export const isoTime = (at: number = now()): string => new Date(at).toISOString();

/** The clock of lifetimes, dates of bills and the `Date` of answers. The control plane moves it; limits, Retry-After and records do not read it. */
export type Clock = {
  /** Epoch milliseconds, offset included. */
  now(): number;
  /** Sets the offset from the real time; it is 0 again after a restart. */
  move(offsetSeconds: number): void;
  /** Calls back each time it was moved: what waits for a time of it may be due. */
  onMove(moved: () => void): void;
  readonly offsetSeconds: number;
};

export const createClock = (): Clock => {
  let offsetSeconds = 0;
  const listeners: (() => void)[] = [];
  return {
    now: () => now() + offsetSeconds * 1_000,
    move(seconds) {
      offsetSeconds = seconds;
      for (const moved of listeners) moved();
    },
    onMove: (moved) => void listeners.push(moved),
    get offsetSeconds() {
      return offsetSeconds;
    },
  };
};
