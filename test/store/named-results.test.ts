import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import { readResults, resultsOf, writeResults } from '../../store/results.ts';

let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'portolan-named-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

test('a result is read by the names of its columns, whatever these are', async () => {
  const store = createRunStore(join(dir, 'runs', 'run-named'));
  const names = ['r', 'row', 'file_row_number', 'filename', 'rowid', "it's", 'a "b"'];
  const rows = Array.from({ length: 3 }, (_, at) => Object.fromEntries(names.map((name, of) => [name, `${at} ${of}`])));
  await writeResults(store, 'named', 0, Object.fromEntries(names.map((name) => [name, 'VARCHAR'])), rows);
  const read: unknown[] = [];
  for await (const row of readResults(store, resultsOf(store, 'named'))) read.push(row);
  expect(read).toEqual(rows);
});
