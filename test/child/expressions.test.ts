import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBench, refusal, sample, type Bench } from './support.ts';

let bench: Bench;
let source: string;
beforeAll(async () => {
  bench = await createBench();
  source = await bench.file('rows.json', '[{"Name":"Ann Lee","Major Genre":"Drama","n":4},{"Name":"Bo","Major Genre":null,"n":null}]');
});
afterAll(() => bench[Symbol.asyncDispose]());

const refused: [string, RegExp][] = [
  ['(select 1)', /sub-select/],
  ['exists(select 1)', /sub-select/],
  ['1 in (select n from x)', /sub-select/],
  [`(select content from read_text('/etc/passwd'))`, /sub-select/],
  [`read_text('/etc/passwd')`, /read_text/],
  [`getenv('HOME')`, /getenv/],
  [`current_setting('temp_directory')`, /current_setting/],
  [`query('select 1')`, /'query' is not allowed/],
  [`query_table('rows')`, /query_table/],
  [`nextval('s')`, /nextval/],
  ['sum(n)', /aggregate/],
  ['max(n)', /aggregate/],
  ['count(*)', /aggregate|\*/],
  ['row_number() over ()', /window/],
  ['sum(n) over ()', /window/],
  ['unnest([1, 2])', /unnest/],
  ['random()', /changes from call to call/],
  ['uuid()', /changes from call to call/],
  ['now()', /now/],
  ['current_date', /no source column/],
  ['current_localtimestamp()', /current_localtimestamp/],
  [`age(timestamp '2020-01-01')`, /age/],
  [`ago(interval 1 day)`, /ago/],
  ['rowid', /no source column/],
  ['*', /\*/],
  ['columns(*)', /COLUMNS/],
  ['#1', /by position/],
  ['?', /parameter/],
  ['$1', /parameter/],
  ['1) from x --', /syntax error/],
  ['1), (2', /syntax error|list/],
  ['1); drop table mapped; --', /syntax error/],
  ['1; select 2', /syntax error|statements/],
  ['1) + (2', /syntax error/],
  ['1 as x', /syntax error|AS/],
  ['1, 2', /list/],
  ['1 union select 2', /syntax error|scalar expression/],
  ['1 /*', /comment/],
  [`attach 'x.db'`, /attach/],
  ['copy rows to x', /syntax error/],
  ['install httpfs', /syntax error/],
  [`set memory_limit = '9GB'`, /syntax error/],
  ['system.main.lower(Name)', /without a schema/],
  ['lower(Nmae)', /no source column 'Nmae'/],
  ['no_such(n)', /no function 'no_such'/],
  ['list_transform([1], lambda x: random())', /changes from call to call/],
  ['count(n) filter (n > 1)', /FILTER|aggregate/],
  ['[n]', /INTEGER\[\]|BIGINT\[\]/],
  ['n > 1', /BOOLEAN/],
  ['Name + 1', /./],
  ['', /empty/],
  [`'${'x'.repeat(5_000)}'`, /longer/],
  ['1\0', /NUL/],
];

test('every expression that is more than a value of the row is refused before the run', async () => {
  const { findings } = await bench.tables.checkColumns(
    source,
    Object.fromEntries(refused.map(([expression], at) => [`c${at}`, expression])),
  );
  const messages = new Map(findings.map(({ column, message }) => [column, message]));
  for (const [at, [expression, rule]] of refused.entries()) expect(messages.get(`c${at}`), expression).toMatch(rule);
  expect(findings).toHaveLength(refused.length);
});

test('and again where the rows are made', async () => {
  for (const [expression] of refused) {
    const { verdict } = await refusal(bench.shard({ source, columns: { value: expression } }));
    expect(['refused_expression', 'bad_input'], expression).toContain(verdict);
  }
});

const allowed: [string, unknown[]][] = [
  ['Name', ['Ann Lee', 'Bo']],
  ['Major Genre', ['Drama', 'null']],
  [`concat_ws('. ', Name, "Major Genre")`, ['Ann Lee. Drama', 'Bo']],
  ['name || n', ['Ann Lee4', 'null']],
  ['upper(Name)::varchar', ['ANN LEE', 'BO']],
  ['case when n > 3 then 1 else 0 end', [1, 0]],
  ['coalesce(n, -1) * 2 + 1', [9, -1]],
  ['n between 1 and 5 and true or false', []],
  [`nullif(Name, 'Bo')`, ['Ann Lee', 'null']],
  [`split_part(Name, ' ', 1)`, ['Ann', 'Bo']],
  ['list_sum(list_transform([1, 2], lambda x: x + coalesce(n, 0)))', [11, 3]],
  ['list_reduce([1, 2, 3], (a, b) -> a + b)', [6, 6]],
  [`regexp_extract(Name, '(\\w+)$', 1)`, ['Lee', 'Bo']],
  ['try_cast(Name as integer)', [null, null]],
  ['Name collate nocase', ['Ann Lee', 'Bo']],
  [`Name -- the name`, ['Ann Lee', 'Bo']],
  ['Name[1:2]', ['An', 'Bo']],
  [`date '2020-02-03'`, [Date.UTC(2020, 1, 3), Date.UTC(2020, 1, 3)]],
  [`to_json({a: n}) ->> 'a'`, ['4', 'null']],
];

test('scalar expressions are computed row by row', async () => {
  const columns = Object.fromEntries(allowed.filter(([, values]) => values.length > 0).map(([expression], at) => [`c${at}`, expression]));
  expect((await bench.tables.checkColumns(source, columns)).findings).toEqual([]);
  const { rows } = await bench.rows(await bench.shard({ source, columns }));
  for (const [at, [expression, values]] of allowed.filter(([, each]) => each.length > 0).entries())
    expect(
      rows.map((row) => row[`c${at}`]),
      expression,
    ).toEqual(values);
});

test('column names obey the API', async () => {
  const { findings } = await bench.tables.checkColumns(source, { _hidden: 'n', size: 'n', Size: 'n', ok: 'n' });
  expect(findings).toEqual([
    { column: '_hidden', message: expect.stringMatching(/may not begin with _/) },
    { column: 'Size', message: expect.stringMatching(/when case is ignored/) },
  ]);
});

test.each(['len(range(1000000000))', 'len(range(1000000000 + coalesce(n, 0)))', `length(repeat('x', 2000000000 + coalesce(n, 0)))`])(
  '%s ends in a verdict; the next request is served',
  async (expression) => {
    const { verdict } = await refusal(bench.shard({ source, columns: { value: expression } }));
    expect(['too_large', 'timeout', 'bad_input', 'crashed']).toContain(verdict);
    expect(await bench.tables.inspect(sample('cars.json'))).toMatchObject({ rows: 406 });
  },
);

test('the memory watchdog is what stops it', async () => {
  expect(await refusal(bench.shard({ source, columns: { value: 'len(range(1000000000))' } }))).toMatchObject({ verdict: 'too_large' });
});
