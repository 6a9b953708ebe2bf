import type { RunView } from '../../workflows/messages.ts';

type Look = { at: number; done: number; bytes: number };

/** Speed of a running step, measured between looks over a sliding window. */
export type Rate = { perSecond?: number; bytesPerSecond?: number; unit?: string; looks: readonly Look[] };
export type Rates = { readonly [step: string]: Rate };

const windowMs = 15_000;
/** Looks closer together than this say nothing new. */
const leastMs = 200;

/** Rates after one more look at the run. Pure: the former rates and the time go in. */
export const nextRates = (former: Rates, view: RunView, now: number): Rates => {
  const next: Record<string, Rate> = {};
  for (const step of view.steps) {
    if (step.status !== 'running' || !step.progress) continue;
    const { done, unit, bytes = 0 } = step.progress;
    const last = former[step.id];
    // Another phase counts something else. A chunk that begins again after a kill only takes back a little.
    const goesOn = last && last.unit === unit && done >= (last.looks[0]?.done ?? 0);
    if (goesOn && now - last.looks.at(-1)!.at < leastMs) {
      next[step.id] = last;
      continue;
    }
    const looks = goesOn ? inWindow([...last.looks, { at: now, done, bytes }], now) : [{ at: now, done, bytes }];
    const [first] = looks;
    const ms = now - first!.at;
    next[step.id] = {
      looks,
      unit,
      ...(ms > 0
        ? { perSecond: ((done - first!.done) * 1_000) / ms, bytesPerSecond: (Math.max(0, bytes - first!.bytes) * 1_000) / ms }
        : {}),
    };
  }
  return next;
};

/** The looks of the window, and the last one before it: the rate is always over the whole window. */
const inWindow = (looks: readonly Look[], now: number): Look[] => {
  const begin = looks.findIndex(({ at }) => at >= now - windowMs);
  return looks.slice(Math.max(0, begin - 1));
};

/** Milliseconds until done at the measured rate; undefined while nothing can be said. */
export const timeLeft = (progress: { done: number; total?: number } | undefined, rate: Rate | undefined): number | undefined =>
  progress?.total === undefined || !rate?.perSecond ? undefined : (Math.max(0, progress.total - progress.done) / rate.perSecond) * 1_000;
