import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeIsThere, taskQueueOf } from '../../store/store-id.ts';

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

test('processes that name a store at the same moment agree', async () => {
  const code = `import { taskQueueOf } from ${JSON.stringify(new URL('../../store/store-id.ts', import.meta.url).href)};
    process.stdout.write(taskQueueOf(process.argv[1]));`;
  const named = await Promise.all(
    Array.from({ length: 6 }, () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, join(root, 'new')])),
  );
  expect(new Set(named.map(({ stdout }) => stdout)).size).toBe(1);
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
