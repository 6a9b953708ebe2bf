import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import { readResults, resultsOf, writeResults } from '../../store/results.ts';

let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'portolan-large-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

// A chunk has at most 1,000 items: pages of 40 KB, or documents of half a megabyte.
test.each([
  [1_000, 40_000],
  [100, 500_000],
])('the results of a chunk of %i items of %i bytes each are read', async (items, bytes) => {
  const store = createRunStore(join(dir, 'runs', `run-${items}`));
  const text = 'Some words of a page. '.repeat(bytes / 22);
  const rows = Array.from({ length: items }, (_, at) => ({ item: `i${at}`, text: `${at} ${text}` }));
  await writeResults(store, 'pages', 0, { item: 'VARCHAR', text: 'VARCHAR' }, rows);
  let read = 0;
  for await (const row of readResults(store, resultsOf(store, 'pages'))) if (row['text'] === rows[read]!.text) read++;
  expect(read).toBe(items);
});
