import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryFiles } from '../../store/columnar.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { keepRows } from '../../store/kept-rows.ts';
import { makeTable } from '../../store/loop-rows.ts';
import { filesLiteral } from '../../text/sql.ts';
import type { Json } from '../../text/json.ts';

let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'portolan-loop-table-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }));
const [boolean, whole, number] = [fc.boolean(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })];
const list = fc.array(text, { maxLength: 3 });
const orNone = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json> => fc.option(value, { nil: null });

/** Columns by their type in the table, and a row of each. */
const rowOf = fc.record({
  BOOLEAN: orNone(boolean),
  BIGINT: orNone(whole),
  DOUBLE: orNone(fc.oneof(number, whole)),
  VARCHAR: orNone(text),
  mixed: orNone(fc.oneof(boolean, whole, number, text, list)),
});
const firstRow = { BOOLEAN: true, BIGINT: 1, DOUBLE: 0.5, VARCHAR: 'text', mixed: ['list'] };
const columns = Object.keys(firstRow);

test('in the table of a loop each column is of its own type, or JSON, and the rows stand in the order of the turns', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(rowOf, { maxLength: 30 }).chain((rows) => {
        const turns = [firstRow, ...rows].map((row, turn) => ({ turn, row: JSON.parse(JSON.stringify(row)) as Record<string, Json> }));
        return fc.record({ turns: fc.constant(turns), ended: fc.shuffledSubarray(turns, { minLength: turns.length }) });
      }),
      async ({ turns, ended }) => {
        const store = createRunStore(join(dir, 'runs', `run-${(run += 1)}`));
        const half = ended.length / 2;
        await keepRows(store, 'all', 0, ended.slice(0, half));
        await keepRows(store, 'all', 1, ended.slice(half));
        const { results, rows } = await makeTable(store, 'all', columns, 1_000_000);
        expect(rows).toEqual(turns.map(({ row }) => row));
        const source = `read_parquet(${filesLiteral(dirname(results), '*.parquet')})`;
        expect(await queryFiles(`select column_name as name, column_type as type from (describe select * from ${source})`)).toEqual(
          columns.map((name) => ({ name, type: name === 'mixed' ? 'VARCHAR' : name })),
        );
        const found = await queryFiles<Record<string, Json>>(`select * replace ("BIGINT"::double as "BIGINT") from ${source}`);
        expect(found.map((row) => ({ ...row, mixed: JSON.parse(row['mixed'] as string) as Json }))).toEqual(rows);
      },
    ),
    { numRuns: 40 },
  );
});
