import type { RunEvent } from '../store/run-store.ts';
import type { RunView } from '../workflows/messages.ts';
import { chunksOf } from './pace.ts';

/** How far a running step is and how fast: for one look, without a former one to measure against. */
export type StepProgress = {
  done: number;
  total?: number;
  unit: string;
  perSecond?: number;
  bytes?: number;
  bytesPerSecond?: number;
  /** Milliseconds until done at this rate. */
  etaMs?: number;
};

/** The chunks of this time make the rate; without any, the whole time of the step does. */
const windowMs = 15_000;

/** Progress of the steps under way. The rate comes from the chunks acknowledged of late, else it is the mean since the step began. */
export function progressOf({ steps }: RunView, events: readonly RunEvent[], now: number): { [step: string]: StepProgress } {
  const chunks = chunksOf(events);
  return Object.fromEntries(
    steps.flatMap((step) => {
      if (step.status !== 'running' || !step.progress) return [];
      const { done, total, unit, bytes } = step.progress;
      const begun = step.startedAt === undefined ? now : Date.parse(step.startedAt);
      const late = (chunks.get(step.id) ?? []).filter(({ at }) => Date.parse(at) > now - windowMs);
      const ms = Math.max(1, late.length > 0 ? Math.min(windowMs, now - begun) : now - begun);
      const rate = (all: number, of: (event: RunEvent) => number): number =>
        ((late.length > 0 ? late.reduce((sum, event) => sum + of(event), 0) : all) * 1_000) / ms;
      const perSecond = rate(done, (event) => event.items ?? 0);
      const left = total === undefined || perSecond === 0 ? undefined : (Math.max(0, total - done) / perSecond) * 1_000;
      const progress: StepProgress = {
        done,
        ...(total === undefined ? {} : { total }),
        unit,
        perSecond,
        ...(bytes === undefined ? {} : { bytes, bytesPerSecond: rate(bytes, (event) => event.bytes ?? 0) }),
        ...(left === undefined ? {} : { etaMs: Math.round(left) }),
      };
      return [[step.id, progress]];
    }),
  );
}
