import { expect, test } from 'vitest';
import { placeOfSource } from '../../pipelines/place-of-source.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';

const place = (source: SourceSpec): string => placeOfSource(source, '/work/project');

test.each<[string, SourceSpec, SourceSpec]>([
  ['how a file is read', '/data/rows.csv', { path: '/data/rows.csv', csv: { delimiter: ';' } }],
  [
    'the headers of a request',
    { http: 'https://a.example/x' },
    { http: 'https://a.example/x', headers: { Authorization: { secret: 'token' } } },
  ],
  ['the lines of a query', { postgres: 'db', query: 'select *\n from rows' }, { postgres: 'db', query: 'select * from rows' }],
  ['a comment', { postgres: 'db', query: 'select 1 -- all\n from rows' }, { postgres: 'db', query: 'select 1 /* some */ from rows' }],
])('%s is no part of where rows come from', (_, one, other) => expect(place(one)).toBe(place(other)));

test.each<[string, SourceSpec, SourceSpec]>([
  ['file', '/data/a.csv', '/data/b.csv'],
  ['address', 'https://a.example/x', 'https://a.example/x?page=2'],
  ['storage', { s3: 's3://rows/a', storage: 'here' }, { s3: 's3://rows/a', storage: 'there' }],
  ['database', { postgres: 'one', query: 'select 1' }, { postgres: 'two', query: 'select 1' }],
  ['query', { postgres: 'one', query: 'select 1' }, { postgres: 'one', query: 'select 2' }],
  ['selection', { sql: 'select * from t', tables: { t: '/a.csv' } }, { sql: 'select n from t', tables: { t: '/a.csv' } }],
  ['sheet', { path: '/a.xlsx', excel: { sheet: 'Madrid' } }, { path: '/a.xlsx', excel: { sheet: 'Paris' } }],
  ['literal', { postgres: 'one', query: "select 'a  b'" }, { postgres: 'one', query: "select 'a b'" }],
  [
    'what a comment hides',
    { sql: 'select 1 -- all\nfrom t', tables: { t: '/a.csv' } },
    { sql: 'select 1 -- all from t', tables: { t: '/a.csv' } },
  ],
  ['table', { sql: 'select * from t', tables: { t: '/a.csv' } }, { sql: 'select * from t', tables: { t: '/b.csv' } }],
])('another %s is another place', (_, one, other) => expect(place(one)).not.toBe(place(other)));

test('a project that was moved has its files in the same places', () => {
  expect(placeOfSource('/there/project/data/*.csv', '/there/project')).toBe(place('/work/project/data/*.csv'));
  const sql = (folder: string): SourceSpec => ({ sql: 'select * from t', tables: { t: { path: `${folder}/a.csv` } } });
  expect(placeOfSource(sql('/there/project'), '/there/project')).toBe(place(sql('/work/project')));
});
