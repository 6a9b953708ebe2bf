import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryFiles } from '../../store/columnar.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { keepRows } from '../../store/kept-rows.ts';
import { makeTable } from '../../store/loop-rows.ts';
import { filesLiteral } from '../../text/sql.ts';

let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'portolan-others-read-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

test('truth values stand in a table without a dictionary: Arrow’s reader knows none of bits', async () => {
  const store = createRunStore(join(dir, 'run'));
  const turns = Array.from({ length: 50 }, (_, turn) => ({ turn, row: { even: turn % 2 === 0, kind: turn % 2 === 0 ? 'even' : 'odd' } }));
  await keepRows(store, 'all', 0, turns);
  const { results } = await makeTable(store, 'all', ['even', 'kind'], 1_000_000);
  const files = filesLiteral(dirname(results), '*.parquet');
  const columns = `select path_in_schema as name, contains(encodings, 'DICTIONARY') as dictionary from parquet_metadata(${files})`;
  expect(await queryFiles(columns)).toEqual([
    { name: 'even', dictionary: false },
    { name: 'kind', dictionary: true },
  ]);
});
