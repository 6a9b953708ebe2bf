import { expect, test } from 'vitest';
import { graphMarks } from '../../runs/graph-marks.ts';
import type { RunView, StepView } from '../../workflows/messages.ts';

const noteOf = (step: Partial<StepView>): string | undefined => {
  const steps: StepView[] = [{ id: 'ask', use: 'acme.asks', kind: 'sweep', status: 'done', needs: [], ...step }];
  return graphMarks({ run: 'tide', pipeline: 'tide', state: 'done', steps } satisfies RunView).get('ask')?.note;
};

test('the picture of a run shows of each step what was done, what failed and was skipped, each item once, and its cost as money', () => {
  expect(noteOf({ counts: { done: 10 } })).toBe('10 done');
  expect(noteOf({ counts: { done: 10, failed: 2, skipped: 1 } })).toBe('7 done, 2 failed, 1 skipped');
  expect(noteOf({ counts: { done: 4, failed: 1 }, costUsd: 1.5 })).toBe('3 done, 1 failed, $1.50');
  // Every item has a word of its own; what was rejected before any was sent is none of those that ended.
  expect(noteOf({ counts: { rejected: 1, done: 10, added: 7, present: 3, bytes: 1_200, deleted: 2 } })).toBe(
    '1 rejected, 7 added, 2 deleted, 3 present, 1.2 kB sent',
  );
  expect(noteOf({ counts: { done: 3, parsed: 2, failed: 1, rows: 90 } })).toBe('2 parsed, 1 failed, 90 rows');
  expect(noteOf({ counts: {} })).toBeUndefined();
});
