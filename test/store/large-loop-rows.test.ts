import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryFiles } from '../../store/columnar.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { keepRows, type TurnRow } from '../../store/kept-rows.ts';
import { makeTable, makeTables } from '../../store/loop-rows.ts';
import { readResults } from '../../store/results.ts';
import { filesLiteral } from '../../text/sql.ts';

let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'portolan-large-rows-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

const mostGroupBytes = 10_000_000;

// Documents of a megabyte, pages of 20 KB, and a whole batch of some columns each.
test.each([
  [25, 1_000_000, 1],
  [1_000, 20_000, 1],
  [5_000, 2_000, 4],
])('a loop of %i turns that gave megabytes of text, %i bytes in each of %i columns, becomes a table', async (turns, bytes, columns) => {
  const store = createRunStore(join(dir, 'runs', `run-${turns}`));
  const names = Array.from({ length: columns }, (_, at) => `text${at}`);
  const text = 'Some words of a page. '.repeat(bytes / 22);
  const rowOf = (turn: number) => Object.fromEntries(names.map((name) => [name, `${turn} ${text}`]));
  await keepRows(
    store,
    'pages',
    0,
    Array.from({ length: turns }, (_, turn) => ({ turn, row: rowOf(turn) })),
  );
  for (const make of [makeTable, makeTables]) {
    const { results, rows } = await make(store, 'pages', names, 4_000_000);
    expect(rows).toBe(undefined);
    let read = 0;
    for await (const row of readResults(store, results)) if (names.every((name) => row[name] === `${read} ${text}`)) read++;
    expect(read).toBe(turns);
    const [largest] = await queryFiles<{ bytes: number }>(
      `select max(bytes)::double as bytes from (select sum(total_uncompressed_size) as bytes
        from parquet_metadata(${filesLiteral(dirname(results), '*.parquet')}) group by row_group_id)`,
    );
    expect(largest!.bytes).toBeLessThan(mostGroupBytes);
  }
});

test('a batch of more than half a gigabyte, which is no text of JavaScript any more, is kept', async () => {
  const store = createRunStore(join(dir, 'runs', 'run-long'));
  const text = 'x'.repeat(4_000_000);
  function* rows(): Generator<TurnRow> {
    for (let turn = 0; turn < 140; turn++) yield { turn, row: { text } };
  }
  await keepRows(store, 'long', 0, rows());
  const { results } = await makeTable(store, 'long', ['text'], 0);
  expect(
    await queryFiles(`select sum(strlen(text))::double as bytes from read_parquet(${filesLiteral(dirname(results), '*.parquet')})`),
  ).toEqual([{ bytes: 140 * 4_000_000 }]);
});
