import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planParts } from '../../pipelines/steps/dataset/part-plan.ts';

const MiB = 1024 * 1024;
const part = 16 * MiB;
const TiB = 1024 ** 4;

const check = (bytes: number): void => {
  const { partSize, parts, partsPerChunk, chunks } = planParts(bytes);
  expect(parts).toBeLessThanOrEqual(10_000);
  expect(partSize).toBeGreaterThanOrEqual(part);
  expect(partSize % MiB).toBe(0);
  // Every byte belongs to exactly one part, and none is empty.
  expect((parts - 1) * partSize).toBeLessThan(bytes);
  expect(parts * partSize).toBeGreaterThanOrEqual(bytes);
  expect((chunks - 1) * partsPerChunk).toBeLessThan(parts);
  expect(chunks * partsPerChunk).toBeGreaterThanOrEqual(parts);
  expect(chunks).toBeLessThanOrEqual(250);
};

test('a file of any size is cut into at most 10,000 parts and 250 chunks that hold it whole', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 5 * TiB }), check), { numRuns: 5_000 });
});

test.each([1, part - 1, part, part + 1, 2 * part, 64 * part, 10_000 * part - 1, 10_000 * part, 10_000 * part + 1, 5 * TiB])(
  '%i bytes',
  check,
);

test('1 GiB is 64 parts in 16 chunks; nothing is no part', () => {
  expect(planParts(1024 * MiB)).toEqual({ partSize: part, parts: 64, partsPerChunk: 4, chunks: 16 });
  expect(planParts(0)).toMatchObject({ parts: 0, chunks: 0 });
});
