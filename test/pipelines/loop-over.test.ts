import fc from 'fast-check';
import { expect, test } from 'vitest';
import { overOf } from '../../pipelines/loop-over.ts';
import type { Json } from '../../text/json.ts';

const all = (input: Json): Json[] => {
  const { count, at } = overOf(input);
  return Array.from({ length: count }, (_, index) => at(index));
};

test('a list is gone over as it is, a matrix in every combination, the last name changing first', () => {
  expect(all({ items: [1, 'two'] })).toEqual([1, 'two']);
  expect(all({ matrix: { a: [1, 2], b: ['x', 'y'] } })).toEqual([
    { a: 1, b: 'x' },
    { a: 1, b: 'y' },
    { a: 2, b: 'x' },
    { a: 2, b: 'y' },
  ]);
  const axes = fc.dictionary(fc.stringMatching(/^[a-z]$/), fc.array(fc.nat(9), { maxLength: 4 }), { minKeys: 1, maxKeys: 4 });
  fc.assert(
    fc.property(axes, (matrix) => {
      const naive = Object.entries(matrix).reduce<{ [name: string]: number }[]>(
        (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
        [{}],
      );
      expect(all({ matrix })).toEqual(naive);
    }),
  );
});

test('a window is gone over in parts without a gap, the last one cut at its end', () => {
  expect(all({ window: { from: '2026-01-30', to: '2026-02-01T12:00:00Z', every: '1d' } })).toEqual([
    { from: '2026-01-30T00:00:00.000Z', to: '2026-01-31T00:00:00.000Z' },
    { from: '2026-01-31T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
    { from: '2026-02-01T00:00:00.000Z', to: '2026-02-01T12:00:00.000Z' },
  ]);
  expect(all({ window: { from: '2026-02-01', to: '2026-01-01', every: '1d' } })).toEqual([]);
});

test('times of a window without a zone are UTC, whatever the zone of the process', () => {
  const over = (): unknown => all({ window: { from: '2026-03-01T00:00', to: '2026-03-01 12:00:00', every: '12h' } });
  const zone = process.env['TZ'];
  for (const TZ of ['Europe/Madrid', 'America/New_York']) {
    process.env['TZ'] = TZ;
    expect([TZ, over()]).toEqual([TZ, [{ from: '2026-03-01T00:00:00.000Z', to: '2026-03-01T12:00:00.000Z' }]]);
  }
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

test('what is nothing to go over is refused with what is due', () => {
  const refused = (input: Json): string => {
    try {
      return `taken: ${overOf(input).count}`;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refused({ items: 'x' })).toBe('a list is due, not "x"');
  expect(refused({ matrix: { a: 3 } })).toBe('a list is due for a, not 3');
  expect(refused({ window: { from: 'monday', to: '2026-01-01', every: '1d' } })).toContain('is due for from, not "monday"');
  expect(refused({ window: { from: '2026-02-31', to: '2026-04-01', every: '1d' } })).toContain('is due for from, not "2026-02-31"');
  expect(refused({ window: { from: '2026-01-01', to: '2026-02-01', every: 'daily' } })).toContain('is not a duration');
  expect(refused({ window: { from: '2000-01-01', to: '2026-01-01', every: '1m' } })).toMatch(/turns, at most 100,000/);
});
