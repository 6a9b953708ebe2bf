import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeIsThere, taskQueueOf } from '../../store/store-id.ts';

const storeId = new URL('../../store/store-id.ts', import.meta.url).href;

/** Asks for the queue of each store at the very moment in which all the others do. */
const program = `
  const { workerData, parentPort } = require('node:worker_threads');
  const { stores, gate, askers } = workerData;
  import(${JSON.stringify(storeId)}).then(({ taskQueueOf }) => {
    const queues = stores.map((store, round) => {
      Atomics.add(gate, round, 1);
      while (Atomics.load(gate, round) < askers);
      return taskQueueOf(store);
    });
    parentPort.postMessage(queues);
  });
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'portolan-store-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a store has one queue, and no other store has it', () => {
  const queue = taskQueueOf(join(root, 'one'));
  expect(queue).toMatch(/^portolan-[0-9a-f-]{36}$/);
  expect(taskQueueOf(join(root, 'one'))).toBe(queue);
  expect(taskQueueOf(join(root, 'two'))).not.toBe(queue);
});

test('whoever asks for the queue of a new store first, all have the same one', async () => {
  const stores = Array.from({ length: 200 }, (_, at) => join(root, `store-${at}`));
  const gate = new Int32Array(new SharedArrayBuffer(stores.length * 4));
  const askers = 3;
  const answers = await Promise.all(
    Array.from({ length: askers }, async () => {
      const worker = new Worker(program, { eval: true, workerData: { stores, gate, askers } });
      const [queues] = (await once(worker, 'message')) as [string[]];
      return queues;
    }),
  );
  expect(new Set(answers[0]).size).toBe(stores.length);
  for (const queues of answers) expect(queues).toEqual(answers[0]);
});

test.each(['', '{}', 'null'])('an id that cannot be read is an error of its file: %j', (text) => {
  const file = join(root, 'store.json');
  writeFileSync(file, text);
  const failure = expect.objectContaining({
    name: 'DamagedFile',
    message: expect.stringMatching(`^${file} is damaged: `),
    remedy: expect.stringContaining('take it away: the store gets a new id'),
  });
  expect(() => taskQueueOf(root)).toThrow(failure);
});

test('a store is there while it has its id, and a run while its folder is there too', () => {
  const store = join(root, 'runs');
  const run = pathToFileURL(join(store, 'run-1')).href;
  taskQueueOf(store);
  expect(storeIsThere(run)).toBe(false);
  mkdirSync(join(store, 'run-1'));
  expect(storeIsThere(run)).toBe(true);
  // A disk that is not mounted leaves its folder, empty; whoever writes makes the folder of the run again.
  rmSync(store, { recursive: true });
  mkdirSync(join(store, 'run-1'), { recursive: true });
  expect(readdirSync(store)).toEqual(['run-1']);
  expect(storeIsThere(run)).toBe(false);
});
