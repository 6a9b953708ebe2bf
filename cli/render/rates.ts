import type { RunView } from '../../workflows/messages.ts';

/** Progress of a running step, measured between looks. `perSecond` is an average of the last ten seconds or so, of all looks while there are few. */
export type Rate = { at: number; done: number; perSecond?: number; looks: number };
export type Rates = { readonly [step: string]: Rate };

const smoothing = 10_000;

/** Rates after one more look at the run. Pure: the former rates and the time go in. */
export const nextRates = (former: Rates, view: RunView, now: number): Rates => {
  const next: Record<string, Rate> = {};
  for (const step of view.steps) {
    if (step.status !== 'running' || !step.progress) continue;
    const { done } = step.progress;
    const last = former[step.id];
    if (!last || done < last.done) next[step.id] = { at: now, done, looks: 0 };
    else if (now - last.at < 200 || (done === last.done && now - last.at < 2_000)) next[step.id] = last;
    else {
      const measured = ((done - last.done) * 1_000) / (now - last.at);
      const looks = last.looks + 1;
      const weight = Math.min(1, Math.max((now - last.at) / smoothing, 1 / looks));
      const perSecond = last.perSecond === undefined ? measured : last.perSecond * (1 - weight) + measured * weight;
      next[step.id] = { at: now, done, perSecond, looks };
    }
  }
  return next;
};

/** Milliseconds until done at the measured rate; undefined while nothing can be said. */
export const timeLeft = (progress: { done: number; total?: number } | undefined, rate: Rate | undefined): number | undefined =>
  progress?.total === undefined || !rate?.perSecond ? undefined : (Math.max(0, progress.total - progress.done) / rate.perSecond) * 1_000;
