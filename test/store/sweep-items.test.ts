import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import type { RunStore } from '../../store/run-store.ts';
import { openProgress, readSweepItems, writeSweepItems } from '../../store/sweep-items.ts';

let root: string;
let store: RunStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portolan-sweep-'));
  store = createRunStore(join(root, 'run-1'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('items are read back as they were listed', async () => {
  const items = [
    { key: 'a', item: { id: 'a', deep: [1, null, { x: 'ä' }] } },
    { key: '1', item: 1 },
    { key: 'none', item: null },
  ];
  await writeSweepItems(store, 'all', 3, items);
  expect(await readSweepItems(store, 'all', 3)).toEqual(items);
});

test('a chunk begun again knows what was begun, taken back and ended, also behind a line cut by a kill', async () => {
  const first = openProgress<{ status: string }>(store, 'all', 0);
  expect(first.known.size).toBe(0);
  for (const item of [0, 1, 2]) first.begin(item);
  first.end(0, { status: 'done' });
  first.withdraw(2);
  first.close();
  await appendFile(store.path('sweeps', 'all', '00000.jsonl'), '[1,{"sta');

  const second = openProgress<{ status: string }>(store, 'all', 0);
  expect([...second.known]).toEqual([
    [0, { status: 'done' }],
    [1, 'begun'],
  ]);
  second.end(1, { status: 'failed' });
  second.close();
  const third = openProgress(store, 'all', 0);
  expect(third.known.get(1)).toEqual({ status: 'failed' });
  third.close();
});
