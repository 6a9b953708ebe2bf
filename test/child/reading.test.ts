import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBench, refusal, sample, type Bench } from './support.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await createBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

test('inspects a JSON table: rows, bytes, fingerprint, columns, with mixed columns as text', async () => {
  const facts = await bench.tables.inspect(sample('movies.json'));
  const bytes = await readFile(sample('movies.json'));
  expect(facts).toMatchObject({ rows: 3201, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
  expect(facts.columns).toContainEqual({ name: 'Title', type: 'VARCHAR' });
  expect(facts.columns).toContainEqual({ name: 'US Gross', type: 'BIGINT' });
});

test.each([
  ['flights-200k.json', 200_000],
  ['flights-200k.arrow', 200_000],
  ['flights-3m.parquet', 3_000_000],
  ['zipcodes.csv', 42_049],
  ['unemployment.tsv', 3_218],
])('inspects %s', async (name, rows) => {
  expect(await bench.tables.inspect(sample(name))).toMatchObject({ rows });
});

test('a mixed column arrives without JSON quotes, before expressions see it', async () => {
  const source = await bench.file('mixed.json', '[{"t":"Ann"},{"t":300},{"t":null},{"t":true}]');
  const { rows } = await bench.rows(await bench.shard({ source, columns: { title: 't', loud: 'upper(t)' } }));
  expect(rows.map(({ title, loud }) => [title, loud])).toEqual([
    ['Ann', 'ANN'],
    ['300', '300'],
    ['null', 'null'],
    ['true', 'TRUE'],
  ]);
});

test('reads JSON lines, and Arrow as file and as stream alike', async () => {
  const table = tableFromArrays({ n: Int32Array.of(1, 2), name: ['a', 'b'] });
  const sources = await Promise.all([
    bench.file('lines.ndjson', '{"n":1,"name":"a"}\n{"n":2,"name":"b"}\n'),
    bench.file('file.arrow', tableToIPC(table, 'file')),
    bench.file('stream.arrow', tableToIPC(table, 'stream')),
  ]);
  const ids = new Set<string>();
  for (const source of sources) {
    const read = await bench.rows(await bench.shard({ source }));
    expect(read.rows.map(({ n, name }) => [n, name])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
    ids.add(read.ids.join());
  }
  expect(ids.size, 'the same rows have the same ids in every format').toBe(1);
});

test('first bytes win over the ending', async () => {
  const source = await bench.file('claims.json', tableToIPC(tableFromArrays({ n: Int32Array.of(7) }), 'file'));
  expect(await bench.tables.inspect(source)).toMatchObject({ rows: 1, columns: [{ name: 'n', type: 'INTEGER' }] });
});

test('CSV keeps every line, long whole numbers and leading zeros', async () => {
  const source = await bench.file('zip.csv', 'zip,long,note\n00501,12345678901234567890,#1\n00502,1,x\n');
  const read = await bench.rows(await bench.shard({ source, id: { column: 'long' } }));
  expect(read.ids).toEqual(['12345678901234567890', '1']);
  expect(read.rows.map(({ zip, note }) => [zip, note])).toEqual([
    ['00501', '#1'],
    ['00502', 'x'],
  ]);
});

test('a path with pattern characters is one file', async () => {
  await bench.file('a1.csv', 'n\n1\n');
  const source = await bench.file('a[1]*.csv', 'n\n1\n2\n');
  expect(await bench.tables.inspect(source)).toMatchObject({ rows: 2 });
});

test('nested columns do no harm until they are selected', async () => {
  const source = await bench.file('nested.json', '[{"n":1,"place":{"lat":2.5},"tags":["x"]}]');
  const { rows } = await bench.rows(await bench.shard({ source, columns: { n: 'n', lat: 'place.lat', tag: 'tags[1]' } }));
  expect(rows[0]).toMatchObject({ n: 1, lat: 2.5, tag: 'x' });
  expect(await refusal(bench.shard({ source, columns: { tags: 'tags' } }))).toMatchObject({
    verdict: 'bad_input',
    message: expect.stringMatching(/column tags: its type .*\[\] has no place.*cast it/),
  });
});

test.each([
  ['absent.json', undefined, /no such file/],
  ['empty.csv', '', /empty\.csv: the file is empty/],
  ['none.json', '[]', /has no rows/],
  ['header.csv', 'a,b\n', /has a header and no rows/],
  ['fake.parquet', 'hello', /is not Parquet: it does not begin with PAR1/],
  ['cut.parquet', 'PAR1', /cut\.parquet: /],
  ['fake.arrow', 'hello', /is not Arrow IPC/],
  ['cut.arrow', 'ARROW1\0\0', /cut\.arrow: /],
  ['scalars.json', '[1,2,3]', /not a JSON table; that is an array of objects, or one object a line/],
  ['broken.json', '[{"a":1},{"a":', /broken\.json: /],
  ['comma.json', '[{"a":1,}]', /comma\.json: is not JSON/],
  ['ragged.csv', 'a,b\n1,2\n3\n', /ragged\.csv: line 3 has 1 value, and the first line has 2$/],
  ['image.png', '\x89PNG', /not known as a table/],
  ['packed.csv', new Uint8Array([0x1f, 0x8b, 8, 0]), /is damaged gzip: it is cut off/],
])('refuses %s with its reason', async (name, content, message) => {
  const source = content === undefined ? `${bench.folder}/${name}` : await bench.file(name, content);
  const refused = await refusal(bench.tables.inspect(source));
  expect(refused).toEqual({ verdict: 'bad_input', message: expect.stringMatching(message) });
  expect(refused.message, 'no path of the child').not.toMatch(/source-[0-9a-f]{8}/);
});

test('a folder is not a table', async () => {
  expect(await refusal(bench.tables.inspect(bench.folder))).toMatchObject({
    verdict: 'bad_input',
    message: expect.stringMatching(/not a regular file/),
  });
});
