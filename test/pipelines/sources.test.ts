import { expect, test } from 'vitest';
import { withResolved } from '../../pipelines/compile/plan-sources.ts';
import { shownPath, sourceName, sourceOf } from '../../pipelines/source-name.ts';
import { findings, planOf } from './support.ts';

const file = (source: string, params = ''): string => `
name: sources
${params}
steps:
  rows:
    use: dataset.append
    with:
      dataset: 00000000-0000-4000-8000-000000000001
      id: { row: true }
      source: ${source}
`;

const query = '{ sql: "select * from a join b using (x)", tables: { a: data/a-*.parquet, b: /abs/b.csv } }';

test('paths of a query are made absolute, and the plan names it once', () => {
  const plan = planOf(file(query));
  const absolute = { sql: 'select * from a join b using (x)', tables: { a: '/base/data/a-*.parquet', b: '/abs/b.csv' } };
  expect(plan.steps[0]!.with).toMatchObject({ source: absolute });
  expect(plan.sources).toEqual([{ step: 'rows', field: 'source', path: sourceName(absolute), ...absolute }]);
  expect(sourceOf(plan.sources[0]!)).toEqual(absolute);
});

test('a file may say how its CSV is written: the plan has it, under a name of its own', () => {
  const { sources, steps: planned } = planOf(file("{ path: data/a.csv, csv: { dateFormat: '%d/%m/%Y' } }"));
  const absolute = { path: '/base/data/a.csv', csv: { dateFormat: '%d/%m/%Y' } };
  expect(planned[0]!.with).toMatchObject({ source: absolute });
  expect(sources).toEqual([{ step: 'rows', field: 'source', path: '/base/data/a.csv (csv: {"dateFormat":"%d/%m/%Y"})', file: absolute }]);
  expect(sourceOf(sources[0]!)).toEqual(absolute);
  const query = planOf(file('{ sql: select * from a, tables: { a: { path: b.csv, csv: { header: false } } } }'));
  expect(sourceOf(query.sources[0]!)).toEqual({ sql: 'select * from a', tables: { a: { path: '/base/b.csv', csv: { header: false } } } });
});

test('a plan of a path says no more than before', () => {
  const { sources } = planOf(file('data/a-*.csv'));
  expect(sources).toEqual([{ step: 'rows', field: 'source', path: '/base/data/a-*.csv' }]);
  expect(sourceOf(sources[0]!)).toBe('/base/data/a-*.csv');
});

test('parameters may be paths of tables and parts of the query', () => {
  const params = 'params: { a: { type: path, default: here/a.csv }, least: { type: integer, default: 3 } }';
  const source = '{ sql: "select * from a where x > ${{ params.least }}", tables: { a: "${{ params.a }}" } }';
  expect(planOf(file(source, params)).sources).toMatchObject([{ sql: 'select * from a where x > 3', tables: { a: '/base/here/a.csv' } }]);
  expect(planOf(file(source, params), { params: { a: 'other.csv', least: '9' } }).sources).toMatchObject([
    { sql: 'select * from a where x > 9', tables: { a: '/base/other.csv' } },
  ]);
});

test.each([
  [
    '5',
    "'source' is 5, expected text, { path: …, csv: …, excel: …, fileColumn: … }, { http: …, headers: …, format: …, csv: …, excel: …, fileColumn: … }, { s3: …, storage: …, format: …, csv: …, excel: …, fileColumn: … }, { postgres: …, query: … } or { sql: …, tables: … }",
  ],
  ['{ path: a.csv, csv: { delimeter: ";" } }', "did you mean 'delimiter'"],
  ['{ path: a.xlsx, excel: { sheets: Films } }', "did you mean 'sheet'"],
  ['{ path: a.csv, csv: { dateFormat: d/m/y } }', 'a format of strptime'],
  ['{ sql: "select 1" }', "'source' of dataset.append needs the field 'tables'"],
  ['{ sql: "select 1", tables: {} }', "'source.tables': a query needs at least one table"],
  ['{ sql: "select 1", tabels: { a: b.csv } }', "did you mean 'tables'?"],
  ['{ sql: "select 1", tables: { "a b": b.csv } }', "'a b': a table name: letters, digits and underscores, at most 63"],
  ['{ sql: "select 1", tables: { a: b.csv, A: c.csv } }', 'two tables have the same name when case is ignored'],
  ['{ sql: "select 1", tables: { a: [b.csv] } }', "'source.tables.a' is a list, expected text"],
])('source: %s is found', (source, message) => {
  const found = findings(file(source));
  expect(found.map((each) => each.message).join('\n')).toContain(message);
  expect(found.every(({ line }) => line >= 8)).toBe(true);
});

test('secrets of headers and addresses are known by the ends of their names, and are not written into the file', () => {
  const said = (source: string): string[] => findings(file(source)).map(({ message }) => message);
  const secret = [
    'PRIVATE-TOKEN',
    'X-Access-Token',
    'apikey',
    'X-Goog-Api-Key',
    'Authorization',
    'Cookie',
    'X-Auth-Token',
    'X-Amz-Signature',
  ];
  for (const name of [...secret, 'client-secret', 'accessToken']) {
    expect(said(`{ http: "https://a.example/x.csv", headers: { ${name}: abc } }`).join(), name).toContain('is a secret: name it');
    expect(said(`"https://a.example/x.csv?${name}=abc"`).join(), name).toContain(`the parameter '${name}' of an address is a secret`);
  }
  for (const name of ['private_token', 'access-token', 'api-key', 'api_key', 'client_secret', 'sig', 'password', 'x-amz-security-token'])
    expect(said(`"https://a.example/x.csv?${name}=abc"`).join(), name).toContain(`the parameter '${name}' of an address is a secret`);
  for (const name of ['Accept', 'X-Team', 'tokens', 'design', 'secretary', 'keyword', 'next-token', 'X-Continuation-Token']) {
    expect(said(`{ http: "https://a.example/x.csv", headers: { ${name}: abc } }`), name).toEqual([]);
    expect(said(`"https://a.example/x.csv?${name}=abc"`), name).toEqual([]);
  }
  for (const name of ['page_token', 'next_page_token', 'nextPageToken'])
    expect(said(`"https://a.example/x.csv?${name}=abc"`), name).toEqual([]);
});

test('a secret goes over plain http to this machine alone', () => {
  const said = (http: string, value = '{ secret: acme }'): string =>
    findings(
      file(`{ http: "${http}", headers: { authorization: ${value} } }`, http.includes('$') ? 'params: { host: { type: string } }' : ''),
    )
      .map(({ message }) => message)
      .join();
  expect(said('http://files.example.com/x.csv')).toContain(
    'must begin with https://: over plain http everyone on the way reads the secret',
  );
  for (const url of [
    'http://127.0.0.1:8080/x.csv',
    'http://localhost/x.csv',
    'https://files.example.com/x.csv',
    'http://${{ params.host }}/x.csv',
  ])
    expect(said(url), url).toBe('');
  expect(findings(file('{ http: "http://files.example.com/x.csv", headers: { X-Team: maps } }'))).toEqual([]);
});

test.each([
  ['"data/${{ params.part }}.csv"', '/base/data/${{ params.part }}.csv'],
  ['"../in/${{ params.part }}"', '/in/${{ params.part }}'],
  ['"part-${{ params.part }}-*.csv"', '/base/part-${{ params.part }}-*.csv'],
  ['"/abs/${{ params.part }}.csv"', '/abs/${{ params.part }}.csv'],
  ['"https://a.example/${{ params.part }}.csv"', 'https://a.example/${{ params.part }}.csv'],
  ['"s3://${{ params.part }}/a.csv"', 's3://${{ params.part }}/a.csv'],
  ['"https://${{ params.part }}/a.csv"', 'https://${{ params.part }}/a.csv'],
  ['"${{ params.part }}/a.csv"', '${{ params.part }}/a.csv'],
])('a path whose end an expression gives means the folder of the file: %s', (source, absolute) => {
  const given = (text: string) => findings(file(text, 'params: { part: { type: string } }'));
  expect(given(source)).toEqual([]);
  expect(withResolved({ source: source.slice(1, -1) }, { paths: ['source'] }, '/base')).toEqual({ source: absolute });
  const optioned = { source: { path: source.slice(1, -1), csv: { header: false } } };
  expect(withResolved(optioned, { paths: ['source'] }, '/base')).toEqual({ source: { ...optioned.source, path: absolute } });
});

test.each([
  ['https://files.example.com/a.csv?signature=canary#part', 'https://files.example.com/a.csv'],
  [{ http: 'HTTPS://files.example.com/a.csv?signature=canary' }, 'HTTPS://files.example.com/a.csv'],
  ['s3://bucket/part-?.csv', 's3://bucket/part-?.csv'],
  ['data/part-?.csv', 'data/part-?.csv'],
])('what is shown of an address has no query: %j', (file, shown) => expect(shownPath(file)).toBe(shown));
