import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allowedSql, bombs, refusedSql } from './hostile-sql.ts';
import { createBench, refusal, type Bench } from './support.ts';

async function tablesOf(bench: Bench): Promise<{ t: string; u: string }> {
  await bench.file('t.csv', `a,b\n${Array.from({ length: 20 }, (_, at) => `${at % 5},${at}`).join('\n')}\n`);
  await bench.file('u.csv', 'a,b\n1,10\n2,20\n');
  return { t: join(bench.folder, 't.csv'), u: join(bench.folder, 'u.csv') };
}

test('what is more than a repeatable SELECT over its tables is refused without the files, and in the child', async () => {
  await using bench = await createBench();
  const tables = await tablesOf(bench);
  for (const queries of Object.values(refusedSql)) {
    for (const sql of queries) expect(await bench.tables.checkSql({ sql, tables }), sql).toHaveLength(1);
    for (const sql of queries.slice(0, 2)) {
      expect(await refusal(bench.tables.inspect({ sql, tables })), sql).toMatchObject({ verdict: 'refused_expression' });
      expect(await refusal(bench.shard({ source: { sql, tables } })), sql).toMatchObject({ verdict: 'refused_expression' });
    }
  }
});

test('queries over the tables alone run, and give the same rows twice', async () => {
  await using bench = await createBench();
  const tables = await tablesOf(bench);
  for (const sql of allowedSql) {
    expect(await bench.tables.checkSql({ sql, tables }), sql).toEqual([]);
    // One text column of whatever the query gives: types do not matter here.
    const source = { sql: `select to_json(q)::varchar as row from (\n${sql.replace(/;$/, '')}\n) as q`, tables };
    const [first, second] = [await bench.shard({ source }), await bench.shard({ source })];
    expect(first.sent, sql).toBeGreaterThan(0);
    expect((await bench.rows(second)).rows, sql).toEqual((await bench.rows(first)).rows);
  }
});

test('a hostile part is refused wherever in a query it stands', async () => {
  await using bench = await createBench();
  const tables = await tablesOf(bench);
  const value = fc.constantFrom(
    'random()',
    'now()',
    'current_date',
    "(select max(content) from read_text('/etc/hostname'))",
    "getenv('HOME')",
    '(select max(a) from nowhere)',
    '(select a from t limit 1)',
  );
  const table = fc.constantFrom(
    "read_csv('/etc/passwd')",
    'range(3)',
    'nowhere',
    "'/etc/passwd'",
    'main.t',
    '(select * from t using sample 1)',
  );
  const wrapValue = fc.constantFrom<(part: string) => string>(
    (part) => `coalesce(a, ${part})`,
    (part) => `case when a > 1 then ${part} end`,
    (part) => `list_transform([a], lambda x: ${part})`,
    (part) => `sum(${part}) over (partition by a)`,
    (part) => `[${part}, a][1]`,
    (part) => `{'k': ${part}}`,
    (part) => `a in (1, ${part})`,
    (part) => `(${part})::varchar || 'x'`,
    (part) => `(select ${part})`,
    (part) => `count(*) filter (where ${part} is not null)`,
  );
  const ofValue = fc.constantFrom<(part: string) => string>(
    (part) => `select ${part} as v from t`,
    (part) => `select a from t where ${part} is not null`,
    (part) => `select a from t group by a having max(${part}) is not null`,
    (part) => `select a from t order by ${part}`,
    (part) => `select a from t order by a limit (${part})`,
    (part) => `select t.a from t join u on ${part} is not null`,
    (part) => `with x as (select ${part} as v from t) select * from x`,
    (part) => `select a from t union all select ${part} from u`,
    (part) => `select * replace (${part} as a) from t`,
    (part) => `select a from t qualify row_number() over (order by ${part}) = 1`,
    (part) => `values (${part})`,
  );
  const ofTable = fc.constantFrom<(part: string) => string>(
    (part) => `select * from ${part} as q`,
    (part) => `select * from t join ${part} as q on true`,
    (part) => `select * from t where a in (select 1 from ${part} as q)`,
    (part) => `with x as (select * from ${part} as q) select * from x`,
    (part) => `select a from t union all select 1 from ${part} as q`,
    (part) => `with recursive x as (select 1 as n union all select n from x, ${part} as q) select * from x`,
    (part) => `select (select count(*) from ${part} as q) from t`,
    (part) => `select * from (t join ${part} as q on true)`,
  );
  const bad = fc.oneof(
    fc
      .tuple(value, fc.array(wrapValue, { maxLength: 3 }), ofValue)
      .map(([part, wraps, query]) => query(wraps.reduce((inner: string, wrap) => wrap(inner), part))),
    fc.tuple(table, ofTable).map(([part, query]) => query(part)),
  );
  const nested = fc.tuple(bad, fc.boolean()).map(([sql, deeper]) => (deeper ? `select * from (${sql}) as outermost` : sql));
  await fc.assert(
    fc.asyncProperty(nested, async (sql) => {
      expect(await bench.tables.checkSql({ sql, tables }), sql).toHaveLength(1);
    }),
    { numRuns: 150 },
  );
});

test('a refusal says where in the text', async () => {
  await using bench = await createBench();
  const sql = "select 'é' as e, a\nfrom t\nwhere random() < 0.5";
  const [found] = await bench.tables.checkSql({ sql, tables: { t: 't.csv' } });
  expect(Buffer.from(sql).subarray(found!.at).toString()).toBe('random() < 0.5');
  const [limit] = await bench.tables.checkSql({ sql: 'select * from t limit 5', tables: { t: 't.csv' } });
  expect(limit!.message).toBe(
    'limit without order by: which rows it takes would change from run to run; add order by a column that differs in every row',
  );
});

test.each(bombs)('%s ends in a verdict; the next request is served', async (sql) => {
  await using bench = await createBench({ seconds: 3, memoryMb: 700 });
  const tables = await tablesOf(bench);
  expect((await refusal(bench.shard({ source: { sql, tables } }))).verdict).toMatch(/^(too_large|timeout|bad_input)$/);
  expect(await bench.tables.inspect(tables.t)).toMatchObject({ rows: 20 });
});
