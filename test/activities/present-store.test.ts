import { mkdirSync, mkdtempSync, renameSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fenced, presentStore } from '../../activities/frame/present-store.ts';
import type { RunStore } from '../../store/run-store.ts';
import { taskQueueOf } from '../../store/store-id.ts';

let root: string;
let run: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'portolan-present-'));
  taskQueueOf(join(root, 'runs'));
  run = join(root, 'runs', 'run-1');
  mkdirSync(run);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const record = { item: 'a', status: 'done', attempts: 1 };

/** Every write of a run store, and the paths that others write to. */
const writes: readonly [name: string, write: (store: RunStore) => Promise<unknown>][] = [
  ['items', (store) => store.items('rows', 0, [record])],
  ['fates', (store) => store.fates('rows', 0, [{ items: ['a'], fate: { status: 'done', attempts: 1 } }])],
  ['remember', (store) => store.remember('key', 1)],
  ['writeJson', (store) => store.writeJson('facts.json', {})],
  ['keepJson', (store) => store.keepJson('kept.json', {})],
  ['writeIds', (store) => store.writeIds('points', [['a']])],
  ['path', async (store) => store.path('upload')],
  ['event', (store) => store.event({ step: 'rows', kind: 'note', cause: 'x' })],
];

test.each(writes)('%s makes no new store where the one of the run is gone, and goes on where it is back', async (_, write) => {
  const store = presentStore(run);
  await write(store);
  expect(store.lost()).toBeUndefined();
  renameSync(join(root, 'runs'), join(root, 'away'));
  await expect(write(store)).rejects.toMatchObject({
    name: 'Unavailable',
    resource: 'store',
    message: expect.stringContaining('mount it'),
  });
  expect(existsSync(join(root, 'runs'))).toBe(false);
  renameSync(join(root, 'away'), join(root, 'runs'));
  await write(store);
});

test.each(['items', 'fates', 'remember', 'writeJson'])('an attempt that is over does not write %s over that of the next', async (name) => {
  const store = fenced(presentStore(run), () => Promise.reject(new Error('given away')));
  const write = writes.find((each) => each[0] === name)![1];
  await expect(write(store)).rejects.toThrow('given away');
  expect(await store.readItems()).toEqual([]);
});
