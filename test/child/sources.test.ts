import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tableFromArrays, tableFromJSON, tableToIPC } from 'apache-arrow';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expandPath } from '../../child/source-files.ts';
import { createBench, parquetOf, refusal, type Bench } from './support.ts';

const rowsOf = (from: number, count: number): { k: string; n: number; t: string }[] =>
  Array.from({ length: count }, (_, at) => ({ k: `k${from + at}`, n: (from + at) * 1.5, t: `text ${from + at}` }));

type Rows = ReturnType<typeof rowsOf>;

const values = (rows: Rows): string => rows.map(({ k, n, t }) => `('${k}', ${n}::double, '${t}')`).join(', ');

/** The same rows as one file of each format. */
const writers: Record<string, (bench: Bench, name: string, rows: Rows) => Promise<unknown>> = {
  json: (bench, name, rows) => bench.file(`${name}.json`, JSON.stringify(rows)),
  jsonl: (bench, name, rows) => bench.file(`${name}.jsonl`, rows.map((row) => JSON.stringify(row)).join('\n')),
  csv: (bench, name, rows) => bench.file(`${name}.csv`, `k,n,t\n${rows.map(({ k, n, t }) => `${k},${n},${t}`).join('\n')}\n`),
  arrow: (bench, name, rows) => bench.file(`${name}.arrow`, tableToIPC(tableFromJSON(rows), 'file')),
  arrows: (bench, name, rows) => bench.file(`${name}.arrows`, tableToIPC(tableFromJSON(rows), 'stream')),
  parquet: (bench, name, rows) => parquetOf(bench.folder, `select * from (values ${values(rows)}) as t(k, n, t)`, `${name}.parquet`),
};

test.each(Object.keys(writers))('a glob of %s files is one table, in the order of the names', async (ending) => {
  await using bench = await createBench();
  const write = writers[ending]!;
  // Written in another order than that of their names.
  await write(bench, 'part-2', rowsOf(20, 5));
  await write(bench, 'part-10', rowsOf(10, 5));
  await write(bench, 'part-1', rowsOf(0, 10));
  await write(bench, 'other', rowsOf(90, 1));
  const source = join(bench.folder, `part-*.${ending}`);
  const whole = await bench.tables.inspect(source);
  expect(whole).toMatchObject({ path: source, rows: 20, columns: [{ name: 'k' }, { name: 'n' }, { name: 't' }] });
  const { rows } = await bench.rows(await bench.shard({ source, id: { column: 'k' } }));
  const wanted = [...rowsOf(0, 10), ...rowsOf(10, 5), ...rowsOf(20, 5)];
  expect(rows.map(({ id_, n, t }) => [id_, n, t])).toEqual(wanted.map(({ k, n, t }) => [k, n, t]));

  await write(bench, 'part-2', rowsOf(21, 5));
  expect((await bench.tables.inspect(source)).sha256, 'a file that changed changes the fingerprint').not.toBe(whole.sha256);
});

test.each(Object.keys(writers))('a column with the name of each row’s file stands beside those of %s files', async (ending) => {
  await using bench = await createBench();
  const write = writers[ending]!;
  await mkdir(join(bench.folder, 'b'));
  await write(bench, 'a', rowsOf(0, 3));
  await write(bench, 'b/2024', rowsOf(3, 2));
  const path = join(bench.folder, `{a,b/2024}.${ending}`);
  const source = { path, fileColumn: 'from file' };
  const { columns, path: name } = await bench.tables.inspect(source);
  expect(columns.at(-1)).toEqual({ name: 'from file', type: 'VARCHAR' });
  expect(name, 'another source than the same files without it').toBe(`${path} (fileColumn: from file)`);
  const { rows } = await bench.rows(await bench.shard({ source, id: { column: 'k' } }));
  expect(rows.map((row) => [row['k'], row['from file']])).toEqual([
    ...rowsOf(0, 3).map(({ k }) => [k, `a.${ending}`]),
    ...rowsOf(3, 2).map(({ k }) => [k, `b/2024.${ending}`]),
  ]);
  const query = { sql: 'select "from file" as f, count(*)::integer as n from t group by all order by f', tables: { t: source } };
  expect((await bench.tables.preview(query)).sample).toEqual([
    [`a.${ending}`, '3'],
    [`b/2024.${ending}`, '2'],
  ]);
  expect(await refusal(bench.tables.inspect({ path, fileColumn: 'K' }))).toMatchObject({
    message: expect.stringContaining("has a column 'K' of its own; say another fileColumn"),
  });
});

test('a column that hides the number of a file is refused where the name is asked for', async () => {
  await using bench = await createBench();
  const path = await bench.file('t.csv', 'file_index,n\n7,1\n');
  expect(await refusal(bench.tables.inspect({ path, fileColumn: 'f' }))).toMatchObject({
    message: expect.stringContaining("has a column 'file_index'"),
  });
  expect(await bench.tables.inspect(path)).toMatchObject({ rows: 1 });
});

test('types of many files are unified; text stays the text that it is', async () => {
  await using bench = await createBench();
  await bench.file('a1.csv', 'id,code,amount,note\n1,007,1,\n2,008,2,\n');
  await bench.file('a2.csv', 'id;code;amount;note\n3;x9;2.5;"so; it is"\n');
  const { columns } = await bench.tables.inspect(join(bench.folder, 'a*.csv'));
  expect(columns).toEqual([
    { name: 'id', type: 'BIGINT' },
    { name: 'code', type: 'VARCHAR' },
    { name: 'amount', type: 'DOUBLE' },
    { name: 'note', type: 'VARCHAR' },
  ]);
  const { rows } = await bench.rows(await bench.shard({ source: join(bench.folder, 'a*.csv'), id: { column: 'id' } }));
  expect(rows.map(({ id_, code, amount, note }) => [id_, code, amount, note])).toEqual([
    ['1', '007', 1, 'null'],
    ['2', '008', 2, 'null'],
    ['3', 'x9', 2.5, 'so; it is'],
  ]);
  await parquetOf(bench.folder, `select 1::integer as a, 'x' as b`, 'p1.parquet');
  await parquetOf(bench.folder, `select 'y' as b, 2.5::double as a`, 'p2.parquet');
  const parquet = await bench.rows(await bench.shard({ source: join(bench.folder, 'p*.parquet') }));
  expect(parquet.rows.map(({ a, b }) => [a, b])).toEqual([
    [1, 'x'],
    [2.5, 'y'],
  ]);
  await bench.file('w1.arrow', tableToIPC(tableFromArrays({ a: Int32Array.of(1), b: ['x'] }), 'file'));
  await bench.file('w2.arrow', tableToIPC(tableFromArrays({ b: ['y'], a: Float64Array.of(2.5) }), 'file'));
  const arrow = await bench.rows(await bench.shard({ source: join(bench.folder, 'w*.arrow') }));
  expect(arrow.rows.map(({ a, b }) => [a, b])).toEqual([
    [1, 'x'],
    [2.5, 'y'],
  ]);
  // JSON: a key that a record has not is null, in one file as in many.
  await bench.file('j1.json', '[{"a":1}]');
  await bench.file('j2.json', '[{"a":2,"b":3}]');
  const json = await bench.rows(await bench.shard({ source: join(bench.folder, 'j*.json') }));
  expect(json.rows.map(({ a, b }) => [a, b])).toEqual([
    [1, null],
    [2, 3],
  ]);
});

test.each([
  ['another column', { 'a1.csv': 'x,y\n1,2\n', 'a2.csv': 'x,z\n1,2\n' }, 'a*.csv', /a2\.csv: has no column 'y', which a1\.csv has/],
  [
    'one more column',
    { 'a1.csv': 'x,y\n1,2\n', 'a2.csv': 'x,y,z\n1,2,3\n' },
    'a*.csv',
    /a2\.csv: has the column 'z', which a1\.csv has not/,
  ],
  ['another type', { 'a1.csv': 'x,y\n1,2\n', 'a2.json': '[{"x":1,"y":2}]' }, 'a*', /a2\.json: is JSON, but a1\.csv is CSV/],
  ['an empty file', { 'a1.csv': 'x,y\n1,2\n', 'a2.csv': '' }, 'a*.csv', /a2\.csv: the file is empty/],
  ['a broken file', { 'a1.json': '[{"x":1}]', 'a2.json': '[{"x":1' }, 'a*.json', /a2\.json: /],
  ['no match', {}, 'b*.csv', /b\*\.csv: no file matches/],
] as [string, Record<string, string>, string, RegExp][])('%s is refused and named', async (_, files, pattern, message) => {
  await using bench = await createBench();
  for (const [name, text] of Object.entries(files)) await bench.file(name, text);
  const source = join(bench.folder, pattern);
  for (const tried of [() => bench.tables.inspect(source), () => bench.shard({ source })])
    expect(await refusal(tried())).toEqual({ verdict: 'bad_input', message: expect.stringMatching(message) });
});

test('a file whose name is the pattern wins; folders with such names are folders', async () => {
  await using bench = await createBench();
  await bench.file('a[12]*.csv', 'x\n7\n');
  await bench.file('a1.csv', 'x\n1\n');
  await mkdir(join(bench.folder, 'd[1]'));
  await writeFile(join(bench.folder, 'd[1]', 'b1.csv'), 'x\n8\n');
  await mkdir(join(bench.folder, 'a2.csv'));
  const of = async (path: string): Promise<unknown[]> =>
    (await bench.rows(await bench.shard({ source: join(bench.folder, path) }))).rows.map(({ x }) => x);
  expect(await of('a[12]*.csv')).toEqual([7]);
  expect(await of('a[12]?csv')).toEqual([1]);
  expect(await of('d[1]/b*.csv')).toEqual([8]);
});

test('files come in the order of their names, not of the pattern', async () => {
  await using bench = await createBench();
  for (const name of ['a', 'b', 'c']) await bench.file(`${name}.csv`, 'x\n1\n');
  const found = await expandPath(join(bench.folder, '{c,a,b}.csv'));
  expect(found.map(({ name }) => name)).toEqual(['a.csv', 'b.csv', 'c.csv']);
});

test.each([
  ['**/*.csv', 0o000],
  ['*/*.csv', 0o000],
  ['sub/*.csv', 0o444],
])('%s fails where a folder (mode %i) cannot be read: what it holds would count as gone', async (pattern, mode) => {
  await using bench = await createBench();
  const sub = join(bench.folder, 'sub');
  await mkdir(sub);
  for (const name of ['a.csv', 'sub/b.csv']) await bench.file(name, 'x\n1\n');
  await chmod(bench.folder, 0o755);
  await chmod(sub, mode);
  const isRoot = process.geteuid!() === 0;
  try {
    // Root reads every folder.
    if (isRoot) process.seteuid!(65_534);
    await expect(expandPath(join(bench.folder, pattern))).rejects.toThrow(/sub\S* cannot be read \(EACCES\), and files may be missing/);
  } finally {
    if (isRoot) process.seteuid!(0);
    await chmod(sub, 0o755);
  }
  expect(await expandPath(join(bench.folder, 'sub/*.csv'))).toHaveLength(1);
});

test('a link that leads nowhere is no file of a pattern', async () => {
  await using bench = await createBench();
  await bench.file('a.csv', 'x\n1\n');
  await symlink(join(bench.folder, 'gone'), join(bench.folder, 'b.csv'));
  await symlink('loop', join(bench.folder, 'loop'));
  expect((await expandPath(join(bench.folder, '**/*'))).map(({ name }) => name)).toEqual(['a.csv']);
});

test('a pattern names exactly the regular files that fit, sorted', async () => {
  await using bench = await createBench();
  const names = ['a', 'b', 'ab', 'A', 'a1', 'a10', 'a2', 'é', 'b-1', '.hidden'].map((name) => `${name}.csv`);
  for (const name of names) await bench.file(name, 'x\n1\n');
  const part = fc.constantFrom('*', '?', 'a', 'b', '[ab]', '{a,b}', '1', '-', 'é');
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (parts) => {
      const text = parts.join('');
      // The same pattern as a regular expression, by hand.
      const expression = new RegExp(
        `^${parts.map((each) => ({ '*': '[^/]*', '?': '[^/]', '{a,b}': '(a|b)' })[each as '*'] ?? each).join('')}\\.csv$`,
        'u',
      );
      const wanted = names.filter((name) => !name.startsWith('.') && expression.test(name)).toSorted((a, b) => (a < b ? -1 : 1));
      const found = await expandPath(join(bench.folder, `${text}.csv`)).then(
        (files) => files.map(({ name }) => name),
        () => [],
      );
      const literal = !/[*?[{]/.test(text);
      expect(found).toEqual(literal ? [`${text}.csv`] : wanted);
    }),
    { numRuns: 200 },
  );
});

const flights = { sql: '', tables: { flights: 'f-*.csv', airports: 'airports.json' } };

async function airport(bench: Bench): Promise<typeof flights.tables> {
  await bench.file('f-1.csv', 'from,delay\nAUS,10\nOAK,-5\n');
  await bench.file('f-2.csv', 'from,delay\nAUS,30\nXXX,1\n');
  await bench.file(
    'airports.json',
    JSON.stringify([
      { code: 'AUS', city: 'Austin' },
      { code: 'OAK', city: 'Oakland' },
    ]),
  );
  return { flights: join(bench.folder, 'f-*.csv'), airports: join(bench.folder, 'airports.json') };
}

test('a query over named tables is a source like any other', async () => {
  await using bench = await createBench();
  const tables = await airport(bench);
  const sql = `
    with late as (select * from flights where delay > 0)
    select city, count(*) as n, max(delay) as worst from late join airports on code = "from"
    group by city order by city limit 10;`;
  const facts = await bench.tables.inspect({ sql, tables });
  expect(facts).toMatchObject({ rows: 1, columns: [{ name: 'city' }, { name: 'n' }, { name: 'worst' }] });
  expect(facts.path).toMatch(/^sql: with late as .*\[flights: .*f-\*\.csv, airports: .*airports\.json\]$/);
  const { rows } = await bench.rows(await bench.shard({ source: { sql, tables }, columns: { city: 'upper(city)', twice: 'n * 2' } }));
  expect(rows).toEqual([{ id_: expect.any(String), city: 'AUSTIN', twice: 4 }]);

  const same = await bench.tables.inspect({ sql, tables });
  expect(same.sha256).toBe(facts.sha256);
  expect((await bench.tables.inspect({ sql: `${sql} `, tables })).sha256).not.toBe(facts.sha256);
  await bench.file('airports.json', JSON.stringify([{ code: 'AUS', city: 'Austin!' }]));
  expect((await bench.tables.inspect({ sql, tables })).sha256).not.toBe(facts.sha256);
});

test('tables may be called as we call our own', async () => {
  await using bench = await createBench();
  await bench.file('a.csv', 'x\n1\n2\n2\n');
  const path = join(bench.folder, 'a.csv');
  const tables = { mapped: path, repeated: path, source_shape: path, own: path };
  const sql = 'select m.x, m.x + 1 as y from mapped m join repeated using (x) join source_shape using (x) join own using (x)';
  const result = await bench.shard({ source: { sql, tables }, columns: { z: 'x + y' } });
  expect(result).toMatchObject({ rows: 17, sent: 17 });
});

test('a binding error of a query is a verdict that says which name', async () => {
  await using bench = await createBench();
  const tables = await airport(bench);
  expect(await refusal(bench.tables.inspect({ sql: 'select dely from flights', tables }))).toEqual({
    verdict: 'bad_input',
    message: expect.stringMatching(/^sql: .*dely/),
  });
});

test('a query may give no row; where rows are due that is a verdict', async () => {
  await using bench = await createBench();
  const tables = await airport(bench);
  const source = { sql: 'select delay from flights where delay > 999', tables };
  expect(await bench.tables.inspect(source)).toMatchObject({ rows: 0 });
  await expect(bench.shard({ source })).rejects.toThrow('sql: has no rows');
  expect(await bench.shard({ source, mayBeEmpty: true })).toMatchObject({ rows: 0, sent: 0, shards: [] });
});

test('the bytes of a glob of one file and of many are the bytes of the rows', async () => {
  await using bench = await createBench();
  const rows = rowsOf(0, 40);
  await writers['csv']!(bench, 'one', rows);
  await writers['csv']!(bench, 'two-a', rows.slice(0, 15));
  await writers['csv']!(bench, 'two-b', rows.slice(15));
  const bytes = async (name: string): Promise<Buffer> =>
    readFile((await bench.shard({ source: join(bench.folder, name) })).shards[0]!.file);
  expect(await bytes('two-*.csv')).toEqual(await bytes('one.csv'));
  expect(await bytes('on?.csv')).toEqual(await bytes('one.csv'));
});
