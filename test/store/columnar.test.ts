import { literal } from '../../text/sql.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readIds, writeIds } from '../../child/ids-files.ts';
import { queryFiles, writeGroups, writeParquet } from '../../store/columnar.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'portolan-columnar-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const columns = {
  text: { type: 'UTF8' },
  maybe: { type: 'UTF8', optional: true },
  number: { type: 'INT32' },
} as const;

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'added', "it's"));
const row = fc.record({ text, maybe: fc.option(text, { nil: null }), number: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }) });

test('another reader finds every row as it was written, in order, present or not', async () => {
  const path = join(folder, 'rows.parquet');
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 200 }), async (rows) => {
      await writeParquet(path, columns, rows);
      expect(await queryFiles(`select text, maybe, number from read_parquet(${literal(path)})`)).toEqual(rows);
    }),
    { numRuns: 60 },
  );
});

test('long runs of equal and of absent values are read back', async () => {
  const path = join(folder, 'runs.parquet');
  const rows = Array.from({ length: 5_000 }, (_, at) => ({
    text: `id-${at}`,
    maybe: at % 1_000 < 7 || at > 4_000 ? null : `reason ${at % 3}`,
    number: at,
  }));
  await writeParquet(path, columns, rows);
  expect(await queryFiles(`select text, maybe, number from read_parquet(${literal(path)})`)).toEqual(rows);
});

test.each([1, 2, 255, 256, 257, 5_000])('of %i different values in 5,000 rows each row has its own', async (different) => {
  const path = join(folder, `different-${different}.parquet`);
  const rows = Array.from({ length: 5_000 }, (_, at) => ({
    text: `value ${at % different}`,
    maybe: at % 7 === 0 ? null : `reason ${(at * 31) % different}`,
    number: at % different,
  }));
  await writeParquet(path, columns, rows);
  expect(await queryFiles(`select text, maybe, number from read_parquet(${literal(path)})`)).toEqual(rows);
});

test('one value for all rows, or none', async () => {
  const path = join(folder, 'same.parquet');
  await writeGroups(path, columns, [{ rows: 3, values: { text: ['a', 'ä', ''], maybe: { all: null }, number: { all: 7 } } }]);
  expect(await queryFiles(`select text, maybe, number from read_parquet(${literal(path)})`)).toEqual([
    { text: 'a', maybe: null, number: 7 },
    { text: 'ä', maybe: null, number: 7 },
    { text: '', maybe: null, number: 7 },
  ]);
});

test('groups of rows stand one after the other; texts may come encoded', async () => {
  const path = join(folder, 'groups.parquet');
  await writeIds(join(folder, 'two.ids'), ['ä', 'id-2']);
  await writeGroups(path, columns, [
    { rows: 2, values: { text: await readIds(join(folder, 'two.ids')), maybe: { all: 'r-1' }, number: { all: 1 } } },
    { rows: 0, values: { text: [], maybe: [], number: [] } },
    { rows: 1, values: { text: ['last'], maybe: { all: null }, number: [3] } },
  ]);
  expect(await queryFiles(`select text, maybe, number from read_parquet(${literal(path)})`)).toEqual([
    { text: 'ä', maybe: 'r-1', number: 1 },
    { text: 'id-2', maybe: 'r-1', number: 1 },
    { text: 'last', maybe: null, number: 3 },
  ]);
});

test('a row without a value that must be there is refused, and leaves no file', async () => {
  const path = join(folder, 'refused.parquet');
  await expect(writeParquet(path, columns, [{ text: 'a', number: 1 }, { number: 2 }])).rejects.toThrow('a row has no text');
  await expect(queryFiles(`select * from read_parquet(${literal(path)})`)).rejects.toThrow('No files found');
});
