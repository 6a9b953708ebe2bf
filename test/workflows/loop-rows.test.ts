import { expect, test } from 'vitest';
import type { PlanStep } from '../../pipelines/plan.ts';
import { rowsWanted, takeKept } from '../../workflows/interpreter/loop-rows.ts';
import type { StepState } from '../../workflows/interpreter/state.ts';

const planned = { id: 'each', use: 'each', kind: 'loop', each: { as: 'item', outputs: { text: '' } } } as unknown as PlanStep;

/** A loop whose turns have given these texts, and go on until it is over. */
function looped(texts: readonly string[]) {
  const rows = texts.map((text, turn) => ({ turn, row: { text } }));
  const step = { status: 'running', loop: { items: 1_000_000, next: texts.length, open: {}, rows, batches: 0 } } as unknown as StepState;
  const wanted = () => {
    const [command] = rowsWanted('each', planned, step);
    return command?.do === 'collect' ? command.rows : undefined;
  };
  const batches: number[] = [];
  const keepAll = (): number[] => {
    for (let rows = wanted(); rows !== undefined; rows = wanted()) {
      // What is sent is below what the server takes.
      if (rows.length > 1) expect(Buffer.byteLength(JSON.stringify(rows))).toBeLessThan(600_000);
      batches.push(rows.length);
      // Rows that come while these are kept stay for the next batch.
      step.loop!.rows.push({ turn: 0, row: { text: 'late' } });
      takeKept(step);
    }
    return batches;
  };
  return { step, keepAll };
}

test('rows are kept a hundred at a time, or sooner where they are long', () => {
  expect(looped(Array.from({ length: 250 }, () => 'short')).keepAll()).toEqual([100, 100]);
  expect(looped(Array.from({ length: 99 }, () => 'short')).keepAll()).toEqual([]);
  expect(looped(Array.from({ length: 60 }, () => '好'.repeat(4_000))).keepAll()).toEqual([41]);
});

test('a row that is longer than a batch is kept alone, and no row is lost or kept twice', () => {
  const { step, keepAll } = looped(['x'.repeat(700_000), 'a', 'y'.repeat(700_000), 'b']);
  expect(keepAll()).toEqual([1, 1, 1]);
  expect(step.loop!.rows.map(({ row }: any) => row.text)).toEqual(['b', 'late', 'late', 'late']);
});
