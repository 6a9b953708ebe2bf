import { expect, test } from 'vitest';
import { withHeartbeats } from '../../runs/heartbeats.ts';
import type { Progress } from '../../pipelines/phases.ts';
import type { PendingActivity } from '../../runs/pending.ts';
import type { StepView } from '../../workflows/messages.ts';
import { at, snapshotOf } from './support.ts';

const sweep = (more: Partial<StepView>): StepView => ({
  id: 'rows',
  use: 'dataset.append',
  kind: 'sweep',
  status: 'running',
  needs: [],
  startedAt: at(0),
  ...more,
});
const pending = (phase: string, progress?: Progress): PendingActivity => ({
  id: `rows/${phase}`,
  step: 'rows',
  type: 'dataset.append',
  attempt: 1,
  waiting: false,
  ...(progress && { progress }),
});
const progressOf = (step: StepView, beats: PendingActivity[]) =>
  withHeartbeats(snapshotOf({ steps: [step] }).view, beats).steps[0]!.progress;

test('the phase that counts the work shows its own progress', () => {
  const beat = { done: 1_200_000, unit: 'rows', note: 'reading' };
  expect(progressOf(sweep({}), [pending('prepare', beat)])).toEqual(beat);
});

test('chunks under way move the progress, each once, however view and server differ in time', () => {
  const step = sweep({
    progress: { done: 100, total: 1_000, unit: 'items', bytes: 5 },
    chunks: { total: 10, acknowledged: 1, open: [1, 2, 3] },
  });
  const beats = [
    pending('chunk/0', { done: 100, unit: 'items' }), // acknowledged between the two looks
    pending('chunk/1', { done: 40, unit: 'items', bytes: 7 }),
    pending('chunk/2', { done: 9, unit: 'bytes' }),
    pending('chunk/3'),
  ];
  expect(progressOf(step, beats)).toEqual({ done: 140, total: 1_000, unit: 'items', bytes: 21 });
  expect(progressOf({ ...step, progress: { done: 990, total: 1_000, unit: 'items' } }, beats)).toMatchObject({ done: 1_000 });
});

test('the last phase says so', () => {
  const step = sweep({ progress: { done: 10, total: 10, unit: 'items' }, chunks: { total: 1, acknowledged: 1, open: [] } });
  expect(progressOf(step, [pending('finish')])).toMatchObject({ done: 10, note: 'finishing' });
});
