import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBench, type Bench } from './support.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await createBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const runs = { numRuns: 25 };

// Few values, so that identical rows are common; kinds mixed within a column.
const value = fc.oneof(fc.constantFrom(null, 0, 1, 1.5, -7, 'a', 'b:1', '1', '1:a', ''), fc.string({ maxLength: 4 }));
const row = fc.record({ a: value, b: value, 'c d': value });
const rows = fc.array(row, { minLength: 1, maxLength: 40 });

type Row = Record<string, string | number | null>;

let made = 0;
async function idsOf(list: Row[], options: { maxRows?: number } = {}): Promise<{ ids: string[]; perShard: number[] }> {
  const source = await bench.file(`rows-${++made}.ndjson`, list.map((each) => JSON.stringify(each)).join('\n'));
  const result = await bench.shard({ source, columns: { a: 'a::varchar' }, ...options });
  expect(result.sent).toBe(list.length);
  return { ids: (await bench.rows(result)).ids, perShard: result.shards.map((shard) => shard.rows) };
}

/** Rows the key may take for one: what a column of text says about both. */
const same = (each: Row): string => JSON.stringify(Object.entries(each).map(([name, part]) => [name, part === null ? null : String(part)]));

test('keys do not depend on the order of rows', () =>
  fc.assert(
    fc.asyncProperty(rows, fc.infiniteStream(fc.nat()), async (list, chance) => {
      const shuffled = list
        .map((each) => ({ each, at: chance.next().value as number }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ each }) => each);
      const [one, other] = [await idsOf(list), await idsOf(shuffled)];
      expect(one.ids.toSorted()).toEqual(other.ids.toSorted());
      const byRow = (source: Row[], ids: string[]): Map<string, string[]> => {
        const found = new Map<string, string[]>();
        source.forEach((each, at) => found.set(same(each), [...(found.get(same(each)) ?? []), ids[at]!].toSorted()));
        return found;
      };
      expect(byRow(list, one.ids)).toEqual(byRow(shuffled, other.ids));
    }),
    runs,
  ));

test('keys are 24 hex digits, one for each row, identical rows numbered by their occurrence', () =>
  fc.assert(
    fc.asyncProperty(rows, async (list) => {
      const { ids } = await idsOf(list);
      expect(new Set(ids).size).toBe(list.length);
      for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
      // One row more of a kind that is there already: every old key stays, one is new.
      const more = (await idsOf([list[0]!, ...list])).ids;
      expect(more).toEqual(expect.arrayContaining(ids));
      expect(new Set(more).size).toBe(list.length + 1);
    }),
    runs,
  ));

test('a new row, or a new column that is null elsewhere, changes no other key', async () => {
  const list: Row[] = [
    { n: 1, s: 'x' },
    { n: 2, s: 'y' },
  ];
  const before = (await idsOf(list.map((each) => ({ a: 1, ...each })))).ids;
  // A float in the column makes every number of it a float; the keys stay.
  const after = (await idsOf([...list, { n: 2.5, s: 'z', added: 'q' }].map((each) => ({ a: 1, ...each })))).ids;
  expect(after.slice(0, 2)).toEqual(before);
});

test('the order of the columns changes no key', async () => {
  const list = [
    { a: 1, n: 1, s: 'x' },
    { a: 2, n: null, s: 'y' },
  ];
  const reversed = list.map((each) => Object.fromEntries(Object.entries(each).toReversed()));
  expect((await idsOf(reversed)).ids).toEqual((await idsOf(list)).ids);
});

test('shards partition the rows', () =>
  fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 15 }), async (list, maxRows) => {
      const whole = await idsOf(list);
      const parts = await idsOf(list, { maxRows });
      expect(parts.ids).toEqual(whole.ids);
      expect(Math.max(...parts.perShard)).toBeLessThanOrEqual(maxRows);
      expect(parts.perShard.slice(0, -1).every((count) => count === maxRows)).toBe(true);
    }),
    runs,
  ));
