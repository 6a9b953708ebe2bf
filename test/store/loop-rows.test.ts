import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import { distinctTexts } from '../../store/distinct-texts.ts';
import { keepRows } from '../../store/kept-rows.ts';
import { makeTable, makeTables } from '../../store/loop-rows.ts';
import { readResults, resultFacts } from '../../store/results.ts';
import { readSweepItems, writeSweepItems } from '../../store/sweep-items.ts';

let root: string;
beforeEach(async () => void (root = await mkdtemp(join(tmpdir(), 'portolan-loop-rows-'))));
afterEach(() => rm(root, { recursive: true, force: true }));

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

test.each([
  ['an integer of 64 bits', [7, 1e19], [7, 1e19]],
  ['an integer of 64 bits, below zero', [-7, 0, 1e19, null], [-7, 0, 1e19, null]],
  ['an integer of 128 bits', [1, 1e39], [1, 1e39]],
])('a number beyond %s is in the table that a loop gives', async (_, given, found) => {
  const store = createRunStore(join(root, 'runs', 'run-1'));
  await keepRows(
    store,
    'all',
    0,
    given.map((n, turn) => ({ turn, row: { n } })),
  );
  for (const make of [makeTable, makeTables]) {
    const { results } = await make(store, 'all', ['n'], 0);
    expect((await all(readResults(store, results))).map(({ n }) => n)).toEqual(found);
  }
});

test('a run store is read below a folder whose name is a pattern, and not one that the pattern means', async () => {
  for (const [folder, name] of [
    ['proj1', 'other'],
    ['proj[1]', 'own'],
    ['proj*', 'star'],
  ] as const) {
    const store = createRunStore(join(root, folder, 'runs', 'run-1'));
    await keepRows(store, 'all', 0, [{ turn: 0, row: { name } }]);
    for (const make of [makeTable, makeTables]) {
      const { results, rows } = await make(store, 'all', ['name'], 1_000);
      expect(rows).toEqual([{ name }]);
      expect(await all(readResults(store, results))).toEqual([{ name }]);
      expect((await all(distinctTexts(results, 'name'))).flat()).toEqual([name]);
    }
    expect(await resultFacts(store, 'all')).toEqual({ columns: ['name'], rows: 1 });
    await writeSweepItems(store, 'list', 0, [{ key: name, item: '{}' }]);
    expect(await readSweepItems(store, 'list', 0)).toEqual([{ key: name, item: '{}' }]);
    await store.items('all', 0, [{ item: name, status: 'done', attempts: 1 }]);
    expect((await store.readItems()).map(({ item }) => item)).toEqual([name]);
    const { uri } = await store.writeIds('ids', [[name]]);
    expect(await store.readIds(uri, 0, 1)).toEqual([name]);
  }
});
