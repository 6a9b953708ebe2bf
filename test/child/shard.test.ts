import { readFile, readdir } from 'node:fs/promises';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBench, refusal, sample, type Bench } from './support.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await createBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const json = (name: string, rows: unknown[]): Promise<string> => bench.file(name, JSON.stringify(rows));

test('every type becomes one of the four of the API', async () => {
  const source = await json('types.json', [
    { i: 7, f: 1.5, d: '2020-01-02', t: '2020-01-02T03:04:05', s: 'x', u: '7d3e0c8a-3b1f-4d5e-9c4b-0a1b2c3d4e5f' },
  ]);
  const result = await bench.shard({
    source,
    columns: { i: 'i', f: 'f', d: 'd', t: 't', s: 's', u: 'u', dec: 'i::decimal(9,2)', e: "s::enum('x')", big: 'i::hugeint' },
  });
  expect(result.columns).toEqual(
    Object.entries({
      id_: 'string',
      i: 'int32',
      f: 'float32',
      d: 'timestamp',
      t: 'timestamp',
      s: 'string',
      u: 'string',
      dec: 'float32',
      e: 'string',
      big: 'int32',
    }).map(([name, type]) => ({ name, type })),
  );
  const { ids, rows } = await bench.rows(result);
  expect(rows).toEqual([
    {
      id_: ids[0],
      i: 7,
      f: 1.5,
      d: Date.UTC(2020, 0, 2),
      t: Date.UTC(2020, 0, 2, 3, 4, 5),
      s: 'x',
      u: '7d3e0c8a-3b1f-4d5e-9c4b-0a1b2c3d4e5f',
      dec: 7,
      e: 'x',
      big: 7,
    },
  ]);
});

test('a text that names its zone is the instant that it says, whatever stands beside it in its column', async () => {
  const times = ['2024-03-31T02:30:00+01:00', '2024-03-31T02:30:00-08:00', '2024-03-31T02:30:00Z', '2024-03-31 02:30:00', 'n/a'];
  const instants = [[1, 30], [10, 30], [2, 30], [2, 30]].map(([hour, minute]) => Date.UTC(2024, 2, 31, hour, minute)); // prettier-ignore
  const csv = await bench.file('zones.csv', `id,when\n${times.map((time, at) => `r${at},${time}\n`).join('')}`);
  const rows = await json(
    'zones.json',
    times.map((when, at) => ({ id: `r${at}`, when })),
  );
  for (const source of [csv, rows]) {
    const result = await bench.shard({ source, id: { column: 'id' }, schema: [{ name: 'when', type: 'timestamp' }] });
    expect(result).toMatchObject({ sent: 4, rejected: 1 });
    expect((await bench.rows(result)).rows.map(({ when }) => when)).toEqual(instants);
  }
});

test.each<[string, { maxRows?: number; maxBytes?: number }]>([
  ['rows', { maxRows: 7 }],
  ['bytes', { maxBytes: 12_000 }],
  ['both', { maxRows: 20, maxBytes: 9_000 }],
])('what is measured of a table is what is made of it, where %s bound a shard', async (_, limits) => {
  const rows = Array.from({ length: 90 }, (_each, at) => ({
    k: at % 11 === 0 ? `${'x'.repeat(40)}${at}` : `é-${at}`,
    n: at % 5 === 0 ? null : at,
    t: 'ü'.repeat((at * 37) % 500),
    long: at === 50 ? 'y'.repeat(20_000) : null,
  }));
  const source = await json('measured.json', rows);
  for (const id of [{ row: true }, { column: 'k' }] as const) {
    const columns = { n: 'n', t: "upper(t) || 'ß'", long: 'long' };
    const request = { source, id, columns, idField: 'id_', maxRows: 5_000, maxBytes: 16_000_000, ...limits };
    const measured = await bench.tables.measure(request);
    const made = await bench.shard({ ...request, projectId: '0'.repeat(36) });
    if (made.duplicates.length > 0) throw new Error('the ids of the table repeat');
    expect(measured).toMatchObject({ rows: 90, sent: made.sent, shards: made.shards.length, columns: made.columns.slice(1) });
    expect(made.sent).toBeLessThan(90 + Number('row' in id && limits.maxBytes === undefined));
    const bytes = made.shards.reduce((sum, shard) => sum + shard.bytes, 0);
    expect(measured.arrowBytes[1]).toBeGreaterThanOrEqual(bytes);
  }
});

test('of a table of more rows than are measured at once each row is counted once', async () => {
  const source = await bench.file('many.csv', `n\n${Array.from({ length: 100_001 }, (_, n) => n).join('\n')}\n`);
  const request = { source, id: { row: true }, idField: 'id_', maxRows: 5_000, maxBytes: 16_000_000 } as const;
  expect(await bench.tables.measure(request)).toMatchObject({ rows: 100_001, sent: 100_001, shards: 21 });
});

test('a shard is an uncompressed Arrow file that names its target and may be sent again', async () => {
  const result = await bench.shard({ source: sample('cars.json'), maxRows: 400 });
  expect(result.shards.map(({ rows }) => rows)).toEqual([400, 6]);
  const bytes = await readFile(result.shards[1]!.file);
  expect(bytes.subarray(0, 6).toString()).toBe('ARROW1');
  expect(bytes.length).toBe(result.shards[1]!.bytes);
  const { schema } = tableFromIPC(bytes);
  expect(Object.fromEntries(schema.metadata)).toEqual({ project_id: 'project-1', on_id_conflict_ignore: 'true', num_rows: '6' });
  expect(new Set(schema.fields.map(({ type }) => String(type)))).toEqual(new Set(['Utf8', 'Float32', 'Int32', 'Timestamp<MILLISECOND>']));
});

test('rows that break the type rules are rejected with the reason, the others are sent', async () => {
  const source = await json('rules.json', [
    { gross: 1, rate: 1 },
    { gross: 4294967296, rate: 1 },
    { gross: null, rate: 2.5 },
    { gross: 4, rate: 1e300 },
  ]);
  const result = await bench.shard({ source });
  expect(result).toMatchObject({ rows: 4, sent: 2, rejected: 2 });
  expect(await bench.rejects(result)).toEqual([
    { row: 2, id: expect.stringMatching(/^[0-9a-f]{24}$/), reason: 'gross: 4294967296 does not fit int32' },
    { row: 4, id: expect.any(String), reason: 'rate: 1e+300 does not fit float32' },
  ]);
  expect((await bench.rows(result)).rows.map(({ gross }) => gross)).toEqual([1, null]);
});

test('NaN and infinity are rejected', async () => {
  const source = await json('nan.json', [{ n: 0 }, { n: 1 }, { n: 2 }]);
  const result = await bench.shard({ source, columns: { x: `case n when 0 then 'nan'::double when 1 then '-inf'::double else 2 end` } });
  expect((await bench.rejects(result)).map(({ reason }) => reason)).toEqual([
    'x: nan does not fit float32',
    'x: -inf does not fit float32',
  ]);
});

test('null and empty text become the text null', async () => {
  const source = await json('null.json', [{ s: null }, { s: '' }, { s: 'x' }]);
  expect((await bench.rows(await bench.shard({ source }))).rows.map(({ s }) => s)).toEqual(['null', 'null', 'x']);
});

test.each([
  ['true', /BOOLEAN.*for example "v"::varchar/],
  ['[1]', /BIGINT\[\] has no place/],
  ['{"a":1}', /STRUCT/],
])('a column of %s is refused by name, with the remedy', async (value, message) => {
  const source = await bench.file('refused.json', `[{"v":${value},"ok":1}]`);
  expect(await refusal(bench.shard({ source }))).toEqual({ verdict: 'bad_input', message: expect.stringMatching(message) });
  expect(await bench.shard({ source, columns: { ok: 'ok' } })).toMatchObject({ sent: 1 });
});

test('an id column: text of at most 36 characters, else the row is rejected', async () => {
  const source = await json('ids.json', [{ k: 'a' }, { k: null }, { k: '' }, { k: 'x'.repeat(37) }, { k: 'é'.repeat(36) }]);
  const result = await bench.shard({ source, id: { column: 'k' } });
  expect((await bench.rows(result)).ids).toEqual(['a', 'é'.repeat(36)]);
  expect(await bench.rejects(result)).toEqual([
    { row: 2, id: null, reason: 'k: no id' },
    { row: 3, id: '', reason: 'k: no id' },
    { row: 4, id: 'x'.repeat(37), reason: 'k: id of 37 characters, at most 36' },
  ]);
});

test('an id column of numbers is their text, and is not sent twice under the same name', async () => {
  const source = await json('numbers.json', [
    { id_: 10, v: 1 },
    { id_: 11.5, v: 2 },
  ]);
  const result = await bench.shard({ source, id: { column: 'id_' } });
  expect(result.columns.map(({ name }) => name)).toEqual(['id_', 'v']);
  expect((await bench.rows(result)).ids).toEqual(['10', '11.5']);
});

test('a source column with the name of the id column is refused unless it is the id', async () => {
  const source = await json('clash.json', [{ id_: 'a', v: 1 }]);
  expect(await refusal(bench.shard({ source }))).toMatchObject({
    verdict: 'bad_input',
    message: expect.stringMatching(/name of the dataset's id column 'id_'/),
  });
  expect(await bench.shard({ source, columns: { old: 'id_', v: 'v' } })).toMatchObject({ sent: 1 });
});

test('duplicate ids are listed and nothing is written', async () => {
  const source = await json('twice.json', [{ k: 'a' }, { k: 'b' }, { k: 'a' }, { k: 'c' }, { k: 'b' }]);
  const result = await bench.shard({ source, id: { column: 'k' } });
  expect(result).toMatchObject({
    shards: [],
    sent: 0,
    duplicates: [
      { id: 'a', rows: [1, 3] },
      { id: 'b', rows: [2, 5] },
    ],
  });
});

test('a fixed schema casts, drops what is extra and misses nothing', async () => {
  const source = await json('schema.json', [
    { a: '12', b: 3, c: 2, extra: true },
    { a: 'x', b: 4, c: 2, extra: false },
    { a: '12.0', b: 5, c: -1.6, extra: false },
    { a: '7.9', b: 6, c: 3, extra: false },
    { a: '1e2', b: 7, c: 3e9, extra: false },
    { a: '100', b: 8, c: 16_777_217, extra: false },
  ]);
  const schema = [
    { name: 'id_', type: 'string' as const },
    { name: 'c', type: 'int32' as const },
    { name: 'a', type: 'int32' as const },
    { name: 'b', type: 'string' as const },
  ];
  const result = await bench.shard({ source, schema });
  expect(result.columns.map(({ name, type }) => `${name} ${type}`)).toEqual(['id_ string', 'c int32', 'a int32', 'b string']);
  expect((await bench.rows(result)).rows).toEqual([
    { id_: expect.any(String), c: 2, a: 12, b: '3' },
    { id_: expect.any(String), c: 16_777_217, a: 100, b: '8' },
  ]);
  // A fraction is not rounded away.
  expect((await bench.rejects(result)).map(({ row, reason }) => `${row} ${reason}`)).toEqual([
    '2 a: x does not fit int32',
    '3 c: -1.6 does not fit int32',
    '4 a: 7.9 does not fit int32',
    '5 c: 3000000000.0 does not fit int32',
  ]);
  expect(await refusal(bench.shard({ source, schema: [{ name: 'absent', type: 'string' }] }))).toEqual({
    verdict: 'bad_input',
    message: expect.stringMatching(/column absent \(string\) of the dataset is missing/),
  });
});

test('the same source and options give the same bytes, and replace all that was there', async () => {
  const into = `${bench.folder}/again`;
  const read = async (): Promise<string[]> =>
    Promise.all((await readdir(into)).sort().map(async (name) => `${name} ${(await readFile(`${into}/${name}`)).toString('base64')}`));
  await bench.shard({ source: sample('cars.json'), into, maxRows: 50 });
  const first = await read();
  expect(first).toHaveLength(19);
  await bench.shard({ source: sample('barley.json'), into });
  expect(await readdir(into)).toEqual(['rejects.jsonl', 'shard-00000.arrow', 'shard-00000.ids']);
  await bench.shard({ source: sample('cars.json'), into, maxRows: 50 });
  expect(await read()).toEqual(first);
});

test('shards keep to the limit of bytes; a row beyond it is rejected', async () => {
  const source = await json('wide.json', [
    ...Array.from({ length: 200 }, (_, at) => ({ text: String(at).repeat(at * 4) })),
    { text: 'x'.repeat(30_000) },
  ]);
  const result = await bench.shard({ source, maxBytes: 20_000 });
  expect(Math.max(...result.shards.map(({ bytes }) => bytes))).toBeLessThanOrEqual(20_000);
  expect(result).toMatchObject({ rows: 201, sent: 200, rejected: 1 });
  expect((await bench.rejects(result))[0]).toMatchObject({
    row: 201,
    reason: expect.stringMatching(/^row of 30\d\d\d bytes, too long for a shard of 20000$/),
  });
});

test('rows picked by id make a shard of their own', async () => {
  const result = await bench.shard({ source: sample('cars.json') });
  const { file } = result.shards[0]!;
  const { ids, rows } = await bench.tables.readShard(file);
  const picked = await bench.tables.pickRows(file, [ids[9]!, 'ghost', ids[2]!]);
  const table = tableFromIPC(picked);
  expect(table.schema.metadata.get('num_rows')).toBe('2');
  expect(table.schema.metadata.get('project_id')).toBe('project-1');
  const path = await bench.file('picked.arrow', picked);
  expect(await bench.tables.readShard(path)).toEqual({ ids: [ids[2], ids[9]], rows: [rows[2], rows[9]] });
});

test('progress counts rows', async () => {
  const seen: number[] = [];
  const request = {
    source: sample('flights-20k.json'),
    into: `${bench.folder}/progress`,
    projectId: 'p',
    idField: 'id_',
    id: { row: true as const },
    maxRows: 5_000,
    maxBytes: 16_000_000,
  };
  // What is read is counted too, twice a second: it is over when rows are made.
  await bench.tables.shard(request, { progress: (rows, note) => note === 'making shards' && seen.push(rows) });
  expect(seen.length).toBeGreaterThan(1);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen.at(-1)).toBe(20_000);
});
