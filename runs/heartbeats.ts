import type { RunView, StepView } from '../workflows/messages.ts';
import type { PendingActivity } from './pending.ts';

type Beat = NonNullable<StepView['progress']>;

/** The view with what only heartbeats know: how far the activities under way are. */
export const withHeartbeats = (view: RunView, pending: readonly PendingActivity[]): RunView => ({
  ...view,
  steps: view.steps.map((step) => {
    if (step.status !== 'running') return step;
    const beats = pending.flatMap(({ id, step: of, progress }) => (of === step.id && progress ? [{ id, beat: progress }] : []));
    if (!step.progress) return beats[0] ? { ...step, progress: beats[0].beat } : step;
    const finish = pending.find(({ id }) => id === `${step.id}/finish`);
    if (finish) return { ...step, progress: { ...step.progress, note: beats[0]?.beat.note ?? 'finishing' } };
    return { ...step, progress: withChunks(step.progress, step, beats) };
  }),
});

/**
 * Adds the items of chunks under way to the acknowledged ones. The view and the pending activities are of two moments:
 * only a chunk that is open in both is added, or one that has just ended would count twice.
 */
function withChunks(progress: Beat, { chunks }: StepView, beats: readonly { id: string; beat: Beat }[]): Beat {
  const open = new Set(chunks?.open);
  const own = beats.filter(({ id }) => open.has(Number(id.split('/')[2]))).map(({ beat }) => beat);
  const items = own.reduce((sum, beat) => sum + (beat.unit === 'bytes' ? 0 : beat.done), 0);
  const sent = own.reduce((sum, beat) => sum + (beat.bytes ?? (beat.unit === 'bytes' ? beat.done : 0)), 0);
  const done = progress.done + items;
  const note = own.find((beat) => beat.note !== undefined)?.note;
  return {
    ...progress,
    ...(note === undefined ? {} : { note }),
    done: progress.total === undefined ? done : Math.min(progress.total, done),
    ...(sent > 0 || progress.bytes !== undefined ? { bytes: (progress.bytes ?? 0) + sent } : {}),
  };
}
