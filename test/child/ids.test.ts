import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import { createBench, type Bench } from './support.ts';

/** The ids of a table as they are sent. */
async function idsOf(bench: Bench, source: SourceSpec, column = 'id'): Promise<string[]> {
  const made = await bench.shard({ source, id: { column } });
  expect(made.duplicates).toEqual([]);
  return (await bench.rows(made)).ids;
}

/** The names of the rows of a table as they are listed. */
async function namesOf(bench: Bench, source: SourceSpec, key: string): Promise<string[]> {
  const into = join(bench.folder, 'listed');
  const { parts } = await bench.tables.listRows({ source, key, into, parts: 1, leastRows: 100, mostRows: 100 });
  const lines = (await readFile(join(into, parts[0]!.file), 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as [string, unknown])[0]);
}

const written = [
  ['zeros behind a point', ['1.10', '1.1', '1.0', '1']],
  ['a sign', ['+1', '1', '-0', '0']],
  ['an exponent', ['1e3', '1000', '1E3']],
  ['a blank', [' 1', '1', '1 ']],
  ['a date that is written in another way', ['2024-1-2', '2024-01-02']],
  ['a date, day first', ['25/04/2024', '05/06/2024']],
  ['a time at midnight', ['2024-01-02 00:00:00', '2024-01-02T00:00:00']],
  ['a time with a zone', ['2024-01-02T10:00:00Z', '2024-01-02T12:00:00+02:00']],
  ['zeros in front', ['007', '7']],
  ['what is a number elsewhere', ['0x10', '16', '1_000', '1000']],
  ['more digits than a number has', ['9007199254740993', '9007199254740992', '12345678901234567890', '12345678901234567891']],
  ['more digits behind a point than a number has', ['1.00000000000000001', '1.00000000000000002']],
  ['words for numbers that are none', ['nan', 'NaN', 'inf']],
  ['a phone number', ['+4930123456', '4930123456']],
] as const;

describe.each(written)('ids of texts that differ stay as many: %s', (_, ids) => {
  test('of CSV, TSV and a query, of JSON texts, and as names of rows', async () => {
    await using bench = await createBench();
    const rows = ids.map((id, at) => [id, `t${at}`]);
    const csv = await bench.file('t.csv', ['id,t', ...rows.map((row) => row.join(','))].join('\n'));
    const tsv = await bench.file('t.tsv', ['id\tt', ...rows.map((row) => row.join('\t'))].join('\n'));
    const json = await bench.file('t.json', JSON.stringify(rows.map(([id, t]) => ({ id, t }))));
    for (const source of [csv, tsv, json, { sql: 'select * from t', tables: { t: csv } }]) {
      expect(await idsOf(bench, source)).toEqual(ids);
      expect(await namesOf(bench, source, 'id')).toEqual(ids);
      expect((await bench.tables.checkColumns(source, undefined, 'id')).repeated).toBeUndefined();
    }
    const renamed = await bench.shard({ source: csv, id: { column: 'key' }, columns: { key: 'id', t: 't' } });
    expect((await bench.rows(renamed)).ids).toEqual(ids);
  });
});

test('whatever the ids of a CSV file are, each is sent as it stands there', async () => {
  await using bench = await createBench();
  const digits = fc.constantFrom(
    '0',
    '1',
    '10',
    '1.10',
    '1.1',
    '1e3',
    '+1',
    '-1',
    '.5',
    '5.',
    '1e+20',
    '1e20',
    'nan',
    'true',
    '2024-01-02',
    '0.1',
    '100000000000000000000',
  );
  let made = 0;
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(digits, { minLength: 1, maxLength: 6 }), async (ids) => {
      fc.pre(ids.some((id) => id !== 'true'));
      const source = await bench.file(`t-${made++}.csv`, `id,t\n${ids.map((id) => `${id},x\n`).join('')}`);
      expect(await idsOf(bench, source)).toEqual(ids);
      expect(await namesOf(bench, source, 'id')).toEqual(ids);
    }),
    { numRuns: 60 },
  );
});

test('what is no id is a number as before, and so is an id that a number writes alike', async () => {
  await using bench = await createBench();
  const source = await bench.file('t.csv', 'id,price\n1,1.10\n-2,2.50\n30,1e3\n');
  const { columns } = await bench.tables.measure({ source, id: { column: 'id' }, idField: 'key', maxRows: 10, maxBytes: 100_000 });
  expect(columns).toEqual([
    { name: 'id', type: 'int32' },
    { name: 'price', type: 'float32' },
  ]);
});

test('of an id column that is said to hold numbers the ids are these numbers', async () => {
  await using bench = await createBench();
  const path = await bench.file('t.csv', 'id,t\n+1,a\n2.50,b\n');
  expect(await idsOf(bench, { path, csv: { types: { id: 'DOUBLE' } } })).toEqual(['1', '2.5']);
});

test('a phone number keeps its plus sign where it is no id, and a number with a sign is one', async () => {
  await using bench = await createBench();
  const { columns } = await bench.tables.inspect(await bench.file('t.csv', 'phone,change\n+491701234567,+1\n+4930123456,-12\n'));
  expect(columns.map(({ type }) => type)).toEqual(['VARCHAR', 'BIGINT']);
});

test('preview says of a column that two of its texts are one number, and how they stay two', async () => {
  await using bench = await createBench();
  const path = await bench.file('t.csv', 'price,version,n\n1.10,1.10,1\n2.50,1.9,2\n2.50,1.1,2\n');
  const { hints } = await bench.tables.preview(path);
  expect(hints).toEqual([
    {
      column: 'version',
      message: '"1.1" and "1.10" are read as one number; where they are two values, say csv: { types: { "version": VARCHAR } }',
    },
  ]);
  expect((await bench.tables.preview({ path, csv: { types: { version: 'VARCHAR' } } })).hints).toEqual([]);
  expect((await bench.tables.preview({ path, csv: { types: { version: 'DOUBLE' } } })).hints).toEqual([]);
});
