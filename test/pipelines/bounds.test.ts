import { expect, test } from 'vitest';
import { batchesIn } from '../../pipelines/steps/bounds.ts';

/** The same by cutting them up. */
function cut(items: number, [size, ...smaller]: readonly number[]): number {
  if (size === undefined) return 1;
  let batches = 0;
  for (let left = items; left > 0; left -= size) batches += cut(Math.min(size, left), smaller);
  return batches;
}

test.each([
  [0, [2_500]],
  [12_001, [2_500]],
  [12_001, [2_500, 1_000]],
  [5_000, [2_500, 2_000, 1_000]],
  [25_000, [2_500, 1_400, 1_000]],
  [25_001, [2_500, 2_500, 7]],
])('%i items in sizes of %j are as many batches as cutting them up makes', (items, sizes) => {
  expect(batchesIn(items, ...sizes)).toBe(cut(items, sizes));
});
