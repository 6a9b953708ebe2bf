import type { Progress } from '../../pipelines/phases.ts';

/** The service reports a percentage; the share of the points says more, and gives a rate. */
export const buildProgress = (points: number, percent: number, stage: string): Progress => ({
  done: Math.floor((points * percent) / 100),
  total: points,
  unit: 'points',
  note: stage.toLowerCase(),
});

/** Milliseconds until the next look: half a second at first, then a share of what is left or has passed, at most 15 s. */
export function buildPause(elapsedMs: number, percent: number): number {
  const left = percent > 1 ? (elapsedMs * (100 - percent)) / percent : elapsedMs;
  return Math.round(Math.min(15_000, Math.max(500, 0.05 * Math.min(left, elapsedMs))));
}
