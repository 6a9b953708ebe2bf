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

test('decimals keep every digit: a number where JSON has it, else a text', async () => {
  await using bench = await createBench();
  const source = await parquetOf(
    bench.folder,
    `select * from (values (9007199254740993::decimal(18,0), 1234567890123456.78::decimal(18,2), 12.5::decimal(38,18)), (-7, 12.50, 12345678901234567890.12)) as t(whole, money, long)`,
    'decimals.parquet',
  );
  const { lines } = await listed(bench, source);
  expect(lines.flat().map(([, row]) => row)).toEqual([
    { whole: '9007199254740993', money: '1234567890123456.78', long: 12.5 },
    { whole: -7, money: 12.5, long: '12345678901234567890.120000000000000000' },
  ]);
});

test('what is true of a value is true of it in lists and structs', async () => {
  await using bench = await createBench();
  const source = await parquetOf(
    bench.folder,
    `select [9007199254740993, 7] as list, {a: 9007199254740993, b: [0.1::decimal(38,20)]} as struct, ['nan'::double, 1.5, '-inf'::double] as numbers,
     map {'9007199254740993': -9007199254740993, '"\\': 1} as map, ['-Infinity "9007199254740993" \\', 'NaN'] as texts, ['{"a": [1e400, -inf, "\\"1e400"]}'::json] as json, [1e300, 123456789012345678, 2.5, 1e-7]::double[] as doubles`,
    'nested.parquet',
  );
  const { lines } = await listed(bench, source);
  expect(lines.flat().map(([, row]) => row)).toEqual([
    {
      list: ['9007199254740993', 7],
      struct: { a: '9007199254740993', b: [0.1] },
      numbers: [null, 1.5, null],
      map: { '9007199254740993': '-9007199254740993', '"\\': 1 },
      texts: ['-Infinity "9007199254740993" \\', 'NaN'],
      json: [{ a: ['1e400', null, '"1e400'] }],
      doubles: [1e300, 1.2345678901234568e17, 2.5, 1e-7],
    },
  ]);
});

test('a table of documents is listed, however its columns are named', async () => {
  await using bench = await createBench();
  const source = await parquetOf(
    bench.folder,
    `select range as rowid, range as key, repeat(md5(range::varchar), 640) as "row" from range(2_500)`,
    'documents.parquet',
  );
  const { lines, rows } = await listed(bench, source, { key: 'key' });
  expect(rows).toBe(2_500);
  expect(lines.flat().map(([key]) => key)).toEqual(Array.from({ length: 2_500 }, (_, at) => String(at)));
  expect(lines.flat().at(-1)).toMatchObject(['2499', { rowid: 2_499, key: 2_499, row: expect.stringMatching(/^(.{32})\1{639}$/) }]);
});

test('a table of few long texts behind many short ones is listed', async () => {
  await using bench = await createBench();
  const source = await parquetOf(
    bench.folder,
    `select repeat('x', case when range < 2_000 then 1 else 2_000_000 end) as text from range(2_040)`,
    'long.parquet',
  );
  const { lines, rows } = await listed(bench, source);
  expect(rows).toBe(2_040);
  expect(lines.flat().map(([, { text }]) => (text as string).length)).toEqual([...Array(2_000).fill(1), ...Array(40).fill(2_000_000)]);
});

test('rows that no column names have the number of their place, also behind those that are read at once', async () => {
  await using bench = await createBench();
  const source = await bench.file('many.json', JSON.stringify(Array.from({ length: 5_000 }, (_, n) => ({ n }))));
  const { lines } = await listed(bench, source);
  expect(lines.flat()).toEqual(Array.from({ length: 5_000 }, (_, n) => [String(n), { n }]));
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
