import { expect, test } from 'vitest';
import { toSelection, type Where } from '../../pipelines/steps/points/where.ts';

const facts = { idField: 'id', columns: new Map([['n', 'int32']]), ends: 'both' } as const;
const filterOf = (condition: Where): unknown => toSelection(condition, facts).filters;

test('an end beyond what a column holds is not the extreme itself, which rows may have', () => {
  const [none, every] = [filterOf({ any: [] }), filterOf({ all: [] })];
  for (const condition of [
    { range: 'n', from: 3_000_000_000 },
    { range: 'n', to: -3_000_000_000 },
    { category: 'n', in: [3_000_000_000] },
  ]) {
    expect(filterOf(condition)).toEqual(none);
    expect(filterOf({ not: condition })).toEqual(every);
  }
  expect(filterOf({ range: 'n', from: -3_000_000_000, to: 7 })).toEqual([{ method: 'range', field: 'n', range: [-(2 ** 31), 7] }]);
});
