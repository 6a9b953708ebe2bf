import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBench, parquetOf, refusal, type Bench } from './support.ts';

type Line = [key: string, row: Record<string, unknown>];

/** The rows of a table as they are listed, and where their parts begin. */
async function listed(bench: Bench, source: string, { key, most = 5_000 }: { key?: string; most?: number } = {}) {
  const into = join(bench.folder, `rows-${Math.random()}`);
  const { rows, parts } = await bench.tables.listRows({ source, key, into, parts: 1, leastRows: 1, mostRows: most });
  const texts = await Promise.all(parts.map(({ file }) => readFile(join(into, file), 'utf8')));
  const lines = texts.map((text) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line),
  );
  return { rows, lines, parts };
}

test('rows come in their order, each once, in parts that say where they begin', async () => {
  await using bench = await createBench();
  let made = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ id: fc.integer(), text: fc.string({ unit: 'grapheme' }) }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 15 }),
      async (rows, most) => {
        const source = await bench.file(`rows-${made++}.json`, JSON.stringify(rows));
        const found = await listed(bench, source, { most });
        expect(found.rows).toBe(rows.length);
        expect(found.lines.flat()).toEqual(rows.map((row, at) => [String(at), row]));
        expect(found.parts.map(({ first }) => first)).toEqual(found.lines.map((_, at) => at * most));
      },
    ),
    { numRuns: 20 },
  );
});

test('no value becomes another: whole numbers that JSON has not are texts, numbers that are none are null', async () => {
  await using bench = await createBench();
  const source = await parquetOf(
    bench.folder,
    `select * from (values (9007199254740993::bigint, 'nan'::double, date '2024-02-29', [1, 2], true), (-7, 1.5, null, null, false)) as t(wide, number, day, list, flag)`,
    'values.parquet',
  );
  const { lines } = await listed(bench, source);
  expect(lines.flat()).toEqual([
    ['0', { wide: '9007199254740993', number: null, day: '2024-02-29', list: [1, 2], flag: true }],
    ['1', { wide: -7, number: 1.5, day: null, list: null, flag: false }],
  ]);
});

test('a column that names rows names each, and no two alike', async () => {
  await using bench = await createBench();
  const source = await bench.file('named.csv', 'id,n\na,1\nb,2\n');
  expect((await listed(bench, source, { key: 'id' })).lines.flat().map(([key]) => key)).toEqual(['a', 'b']);
  const twice = await bench.file('twice.csv', 'id,n\na,1\nb,2\na,3\n');
  expect(await refusal(listed(bench, twice, { key: 'id' }))).toMatchObject({
    message: expect.stringContaining("two rows are named 'a' by 'id'"),
  });
  const none = await bench.file('none.csv', 'id,n\na,1\n,2\n');
  expect(await refusal(listed(bench, none, { key: 'id' }))).toMatchObject({ message: expect.stringContaining("row 1 has no 'id'") });
  expect(await refusal(listed(bench, source, { key: 'name' }))).toMatchObject({
    message: expect.stringContaining("has no column 'name'; it has id, n"),
  });
});
