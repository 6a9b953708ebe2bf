import { DuckDBInstance } from '@duckdb/node-api';
import type { DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Filter, Selection } from '../../contracts/maps/selection.ts';
import { selectionBounds } from '../../service/engine/selection/bounds.ts';
import { compileSelection } from '../../service/engine/selection/compile.ts';
import type { SelectableColumn } from '../../service/engine/selection/compile.ts';
import { SelectionError } from '../../service/engine/selection/error.ts';
import { checkPatterns } from '../../service/engine/selection/patterns.ts';

type Value = string | number | null;
type Row = Record<string, Value>;

const SQL_TYPES = { int32: 'INTEGER', float32: 'FLOAT', timestamp: 'TIMESTAMP_MS', string: 'VARCHAR' } as const;

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => connection.closeSync());

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Stored as the service stores it, every value as a parameter. */
const store = async (columns: SelectableColumn[], rows: Row[]): Promise<void> => {
  await connection.run(
    `CREATE OR REPLACE TABLE t (_row INTEGER, ${columns.map(({ name, type }) => `${quoted(name)} ${SQL_TYPES[type]}`).join(', ')})`,
  );
  if (rows.length === 0) return;
  const slot = {
    int32: 'CAST(? AS INTEGER)',
    float32: 'CAST(CAST(? AS DOUBLE) AS FLOAT)',
    timestamp: 'make_timestamp_ms(CAST(? AS BIGINT))',
    string: 'CAST(? AS VARCHAR)',
  };
  const params = rows.flatMap((row) => columns.map(({ name }) => (row[name] === null ? null : String(row[name]))));
  await connection.run(
    `INSERT INTO t VALUES ${rows.map((_, i) => `(${i}, ${columns.map(({ type }) => slot[type]).join(', ')})`).join(', ')}`,
    params,
  );
};

const select = async (selection: Selection, columns: SelectableColumn[]): Promise<number[]> => {
  const { sql, params } = compileSelection(selection, columns);
  const reader = await connection.runAndReadAll(`SELECT _row FROM t WHERE ${sql} ORDER BY _row`, params);
  return reader.getRows().map(([row]) => row as number);
};

// ---- the plain evaluator: what a selection means, without SQL

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{M}\p{N}_]/u.test(character);

const containsWord = (text: string, query: string): boolean => {
  if (query === '') return true;
  const letters = Array.from(text);
  const sought = Array.from(query);
  return letters.some(
    (_, at) => sought.every((s, i) => letters[at + i] === s) && !isWord(letters[at - 1]) && !isWord(letters[at + sought.length]),
  );
};

const number = (value: unknown, type: SelectableColumn['type']): number | undefined => {
  if (typeof value === 'boolean') return type === 'timestamp' ? undefined : value ? 1 : 0;
  if (typeof value === 'string') return /^[-+]?[0-9.]+$/.test(value) ? number(Number(value), type) : undefined;
  return type === 'float32' ? Math.fround(value as number) : (value as number);
};

const matchesLeaf = (filter: Exclude<Filter, Selection>, value: Value, type: SelectableColumn['type']): boolean => {
  if (value === null || Number.isNaN(value)) return false;
  if (filter.method === 'range') {
    const [from, to] = filter.range;
    const is = (bound: number): boolean => type === 'float32' && Number.isFinite(value) && Math.fround(bound) === value;
    return (from <= (value as number) || is(from)) && ((value as number) <= to || is(to));
  }
  if (filter.method === 'category')
    return filter.values.some((wanted) => (type === 'string' ? String(wanted) === value : number(wanted, type) === value));
  const fold = (text: string): string => (filter.ignoreCase === false ? text : text.toLowerCase());
  if (filter.regex) return new RegExp(filter.query, filter.ignoreCase === false ? 'u' : 'iu').test(String(value));
  const [text, query] = [fold(String(value)), fold(filter.query)];
  return filter.wordBoundary ? containsWord(text, query) : text.includes(query);
};

const matches = (filter: Filter, row: Row, columns: SelectableColumn[]): boolean => {
  const plain =
    filter.method === 'composition'
      ? filter.filters[filter.conjunctor === 'ALL' ? 'every' : 'some']((child) => matches(child, row, columns))
      : matchesLeaf(filter, row[filter.field]!, columns.find(({ name }) => name === filter.field)!.type);
  return filter.polarity === false ? !plain : plain;
};

// ---- random tables and selections

const texts = [
  '',
  'cat',
  'Cat',
  'a cat',
  'cat-like',
  'concatenate',
  'café',
  'CAFÉ',
  'cafés',
  'le café noir',
  "it's",
  '100%',
  'a_b',
  'axb',
  'a.b',
  'C++ code',
  '漢字',
  '漢',
  '😀 ok',
  'null',
  '5',
  '1.5',
  'true',
  'x"y',
  'line\nbreak',
  'tab\0nul',
  '; drop table t; --',
];
const names = [
  'plain',
  'with space',
  'quo"te',
  '""',
  'select',
  'Order By',
  "it's",
  'ünï',
  '?',
  '$1',
  'a.b',
  '; drop table t; --',
  '漢字',
  '_row2',
  'back\\slash',
];
const numbers = [0, -0, 1, 2, 5, -3, 0.1, 0.7, 1.5, 1e9, 16_777_217];

const polarity = fc.option(fc.boolean(), { nil: undefined });
const values: Record<SelectableColumn['type'], fc.Arbitrary<Value>> = {
  int32: fc.option(fc.constantFrom(0, 1, 2, 5, -3, 2_147_483_647, -2_147_483_648)),
  float32: fc.option(fc.constantFrom(...[...numbers, NaN, Infinity, -Infinity].map(Math.fround))),
  timestamp: fc.option(fc.constantFrom(0, 1, -1, 1_577_836_800_000, 1_577_836_800_001, -62_135_596_800_000)),
  string: fc.option(fc.constantFrom(...texts)),
};
const bounds = fc.constantFrom(...numbers, -1, 1e300, -1e300, 1_577_836_800_000, 1_577_836_800_001);
const wanted = fc.oneof(fc.constantFrom(...texts), bounds, fc.boolean());

const leaf = ({ name: field, type }: SelectableColumn): fc.Arbitrary<Filter> => {
  const category = fc.record({
    method: fc.constant('category' as const),
    field: fc.constant(field),
    values: fc.oneof(fc.array(wanted, { maxLength: 5 }), fc.array(wanted, { minLength: 17, maxLength: 30 })),
    polarity,
  });
  if (type !== 'string')
    return fc.oneof(
      category,
      fc.record({ method: fc.constant('range' as const), field: fc.constant(field), range: fc.tuple(bounds, bounds), polarity }),
    );
  const flag = fc.option(fc.boolean(), { nil: undefined });
  const search = fc.record({
    method: fc.constant('search' as const),
    field: fc.constant(field),
    query: fc.constantFrom(...texts, 'CAT', 'é', '.', '+', '%', '_'),
    ignoreCase: flag,
    wordBoundary: flag,
    polarity,
  });
  const regex = fc.record({
    method: fc.constant('search' as const),
    field: fc.constant(field),
    query: fc.constantFrom('^c', 'cat$', 'c.t', '[0-9]+', 'caf(é|É)s?', '漢.', '^$', 'a|b', 'X'),
    regex: fc.constant(true),
    ignoreCase: flag,
    polarity,
  });
  return fc.oneof(category, search, regex);
};

const selectionOver = (columns: SelectableColumn[]): fc.Arbitrary<Selection> => {
  const { selection } = fc.letrec<{ selection: Selection; filter: Filter }>((tie) => ({
    selection: fc.record({
      method: fc.constant('composition' as const),
      conjunctor: fc.constantFrom('ANY' as const, 'ALL' as const),
      filters: fc.array(tie('filter'), { maxLength: 4 }),
      polarity,
    }),
    filter: fc.oneof({ maxDepth: 6, depthSize: 'medium' }, fc.oneof(...columns.map(leaf)), tie('selection')),
  }));
  return selection;
};

const tables = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom(...names),
      type: fc.constantFrom('int32' as const, 'float32' as const, 'timestamp' as const, 'string' as const),
    }),
    { selector: ({ name }) => name, minLength: 1, maxLength: 5 },
  )
  .chain((columns) =>
    fc.record({
      columns: fc.constant(columns as SelectableColumn[]),
      rows: fc.array(fc.record(Object.fromEntries(columns.map(({ name, type }) => [name, values[type]]))) as fc.Arbitrary<Row>, {
        maxLength: 12,
      }),
      selections: fc.array(selectionOver(columns), { minLength: 3, maxLength: 3 }),
    }),
  );

const all = (...filters: Filter[]): Selection => ({ method: 'composition', conjunctor: 'ALL', filters });

describe('a selection', () => {
  test('selects in DuckDB what it means', async () => {
    let selected = 0;
    let points = 0;
    await fc.assert(
      fc.asyncProperty(tables, async ({ columns, rows, selections }) => {
        await store(columns, rows);
        for (const selection of selections) {
          const expected = rows.flatMap((row, i) => (matches(selection, row, columns) ? [i] : []));
          expect(await select(selection, columns)).toEqual(expected);
          selected += expected.length;
          points += rows.length;
        }
      }),
      { numRuns: 400 },
    );
    // A generator that selects nothing or everything would prove nothing.
    expect(selected / points).toBeGreaterThan(0.2);
    expect(selected / points).toBeLessThan(0.8);
  });

  test('inverted, matches where the value is null', async () => {
    const columns: SelectableColumn[] = [{ name: 'n', type: 'float32' }];
    await store(columns, [{ n: null }, { n: 1 }, { n: 5 }, { n: NaN }]);
    expect(await select(all({ method: 'range', field: 'n', range: [0, 2] }), columns)).toEqual([1]);
    expect(await select(all({ method: 'range', field: 'n', range: [0, 2], polarity: false }), columns)).toEqual([0, 2, 3]);
  });

  test('takes dates as category values of a timestamp column', async () => {
    const columns: SelectableColumn[] = [{ name: 'at', type: 'timestamp' }];
    await store(columns, [{ at: 0 }, { at: 1_577_836_800_000 }, { at: null }]);
    for (const value of [
      '2020-01-01',
      '2020-01-01T00:00:00Z',
      '2020-01-01 00:00',
      '2020-01-01T01:00:00+01:00',
      1_577_836_800_000,
      '1577836800000',
    ]) {
      expect(await select(all({ method: 'category', field: 'at', values: [value] }), columns)).toEqual([1]);
    }
  });

  test('keeps values out of the text and in order', () => {
    const columns: SelectableColumn[] = [
      { name: 'a"b', type: 'string' },
      { name: 'n', type: 'int32' },
    ];
    expect(
      compileSelection(
        all({ method: 'search', field: 'a"b', query: "x' or 1=1" }, { method: 'range', field: 'n', range: [1, 2], polarity: false }),
        columns,
      ),
    ).toEqual({
      sql: 'coalesce(contains(lower("a""b"), lower(CAST(? AS VARCHAR))), false) AND NOT coalesce((CAST("n" AS DOUBLE) >= CAST(? AS DOUBLE) AND CAST("n" AS DOUBLE) <= CAST(? AS DOUBLE)), false)',
      params: ["x' or 1=1", '1', '2'],
      patterns: [],
      tables: [],
    });
  });

  test('names an unknown field and what does not fit a type', () => {
    const columns: SelectableColumn[] = [
      { name: 'Title', type: 'string' },
      { name: 'n', type: 'int32' },
    ];
    const refusal = (filter: Filter): unknown => {
      try {
        return compileSelection(all(filter), columns);
      } catch (error) {
        return error;
      }
    };
    expect(refusal({ method: 'category', field: 'title', values: [] })).toMatchObject({
      name: 'SelectionError',
      message: 'field "title" is not a column of this dataset; did you mean "Title"?',
    });
    expect(refusal({ method: 'range', field: 'x', range: [0, 1] })).toMatchObject({
      message: expect.stringContaining('its columns are "Title", "n"'),
    });
    expect(refusal({ method: 'range', field: 'Title', range: [0, 1] })).toMatchObject({ name: 'SelectionError' });
    expect(refusal({ method: 'search', field: 'n', query: '1' })).toMatchObject({ name: 'SelectionError' });
  });

  test('may nest as deep as it likes, without a deep stack', async () => {
    const columns: SelectableColumn[] = [{ name: 'n', type: 'int32' }];
    await store(columns, [{ n: 1 }, { n: 2 }]);
    const nested = (depth: number, plain: boolean): Selection => {
      let filter: Filter = { method: 'range', field: 'n', range: [1, 1] };
      for (let i = 0; i < depth; i++) {
        const beside: Filter[] = plain ? [] : [{ method: 'range', field: 'n', range: i % 2 ? [5, 6] : [0, 9] }];
        filter = {
          method: 'composition',
          conjunctor: i % 2 ? 'ANY' : 'ALL',
          filters: [filter, ...beside],
          polarity: i % 7 === 0 ? false : undefined,
        };
      }
      return filter as Selection;
    };
    for (const plain of [true, false]) {
      const selection = nested(150, plain);
      expect(await select(selection, columns)).toEqual([0, 1].filter((i) => matches(selection, { n: i + 1 }, columns)));
    }
    expect(compileSelection(nested(100_000, true), columns).tables).toEqual([]);
    expect(compileSelection(nested(4_000, false), columns).tables.length).toBeGreaterThan(10);
  });

  test('may be as wide as the bounds say', async () => {
    const columns: SelectableColumn[] = [
      { name: 'n', type: 'int32' },
      { name: 's', type: 'string' },
    ];
    await store(
      columns,
      Array.from({ length: 50 }, (_, i) => ({ n: i, s: `v${i}` })),
    );
    const wide: Selection = {
      method: 'composition',
      conjunctor: 'ANY',
      filters: Array.from({ length: selectionBounds.filters - 1 }, (_, i) => ({ method: 'range', field: 'n', range: [i * 10, i * 10] })),
    };
    expect(await select(wide, columns)).toEqual([0, 10, 20, 30, 40]);
    const many = all({ method: 'category', field: 's', values: Array.from({ length: selectionBounds.values }, (_, i) => `v${i + 48}`) });
    expect(await select(many, columns)).toEqual([48, 49]);
    expect(() => compileSelection(all(wide, wide), columns)).toThrow(/more than 5000 filters/);
    expect(() => compileSelection(all(many, many), columns)).toThrow(/more than 100000 category values/);
  });

  test('refuses what RE2 refuses, each expression alone', async () => {
    const columns: SelectableColumn[] = [{ name: 's', type: 'string' }];
    const { patterns } = compileSelection(
      all(
        { method: 'search', field: 's', query: 'ok', regex: true },
        { method: 'search', field: 's', query: 'a)|(b', regex: true, wordBoundary: true },
      ),
      columns,
    );
    const run = (sql: string, params: string[]): Promise<unknown> => connection.run(sql, params);
    await expect(checkPatterns(patterns, run)).rejects.toMatchObject({
      name: 'SelectionError',
      message: expect.stringMatching(/"a\)\|\(b" is not an RE2 expression: unexpected \)/),
    });
    const open = { method: 'search', field: 's', query: '\\Qabc', regex: true } as const;
    const of = (wordBoundary: boolean) => checkPatterns(compileSelection(all({ ...open, wordBoundary }), columns).patterns, run);
    await expect(of(false)).resolves.toBeUndefined();
    await expect(of(true)).rejects.toThrow(SelectionError);
    await expect(checkPatterns(['(?P<x>a)', 'a{2}'], run)).resolves.toBeUndefined();
    await expect(checkPatterns(['(?=a)'], run)).rejects.toThrow(SelectionError);
  });
});
