import { expect, test } from 'vitest';
import type { Mark } from '../../pipelines/graph/graph.ts';
import { graphMarks } from '../../runs/graph-marks.ts';
import type { StepView } from '../../workflows/messages.ts';
import { planOf } from '../pipelines/support.ts';

const plan = planOf(`
name: a
steps:
  each:
    forEach: { items: [1, 2, 3], as: at }
    steps:
      always: { use: acme.sample }
      perhaps: { use: acme.sample, when: "\${{ at > 1 }}" }
      tolerated: { use: acme.sample, onError: tolerate }
`);

const marksOf = (more: Partial<StepView>): Record<string, Mark> => {
  const loop = { items: 3, done: 3, failed: 0, failures: [] };
  const each: StepView = { id: 'each', use: 'loop', kind: 'loop', status: 'done', needs: [], loop, ...more };
  return Object.fromEntries(graphMarks({ run: 'a-1', pipeline: 'a', state: 'done', steps: [each] }, plan.steps));
};

test('steps of a loop that is done are done in the picture, where nothing can have skipped them', () => {
  expect(marksOf({})).toEqual({
    each: { status: 'done', note: '3 of 3 done' },
    always: { status: 'done', note: '3 turns done' },
  });
});

test('of a loop that goes on, or of which turns failed, the picture says nothing of steps that are not under way', () => {
  expect(Object.keys(marksOf({ status: 'running', loop: { items: 3, done: 1, failed: 0, failures: [] } }))).toEqual(['each']);
  expect(Object.keys(marksOf({ loop: { items: 3, done: 2, failed: 1, failures: [] } }))).toEqual(['each']);
});
