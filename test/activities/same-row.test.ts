import { describe, expect, test } from 'vitest';
import { sameRow } from '../../activities/dataset/same-row.ts';

describe('a row that the dataset holds is the same', () => {
  test.each([
    ['text', 'a', 'a', true],
    ['other text', 'a', 'b', false],
    ['whole numbers', 16_777_216, 16_777_216, true],
    ['whole numbers that are one number as float32', 16_777_217, 16_777_216, false],
    ['a float32 written short', Math.fround(0.1), 0.1, true],
    ['a float32 beside its neighbour', Math.fround(0.1), 0.100_000_02, false],
    ['a date as ISO text', Date.UTC(2026, 0, 2), '2026-01-02T00:00:00.000Z', true],
    ['a date without a zone, which is UTC', Date.UTC(2026, 0, 2, 3), '2026-01-02T03:00:00', true],
    ['another date', Date.UTC(2026, 0, 2), '2026-01-03T00:00:00.000Z', false],
    ['a number as text', 5, '5', true],
    ['nulls', null, null, true],
    ['a null and the text for it', 'null', null, true],
    ['a null and a number', 5, null, false],
    ['a column that is not there', 'a', undefined, false],
  ])('%s: %j and %j', (_, sent, held, expected) => {
    expect(sameRow({ id: 'x', value: sent }, { id: 'x', value: held, more: 1 })).toBe(expected);
  });
});
