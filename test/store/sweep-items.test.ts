import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import type { RunStore } from '../../store/run-store.ts';
import { readSweepItems, writeSweepItems } from '../../store/sweep-items.ts';

let root: string;
let store: RunStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portolan-sweep-'));
  store = createRunStore(join(root, 'run-1'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('items are read back as they were listed', async () => {
  const items = [
    { key: 'a', item: JSON.stringify({ id: 'a', deep: [1, null, { x: 'ä' }] }) },
    { key: '1', item: '1' },
    { key: 'none', item: 'null' },
  ];
  await writeSweepItems(store, 'all', 3, items);
  expect(await readSweepItems(store, 'all', 3)).toEqual(items);
});
