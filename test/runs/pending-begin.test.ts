import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limitingNow } from '../../runs/limiting.ts';
import { pendingBegin } from '../../runs/pending-begin.ts';
import type { RunSnapshot } from '../../runs/view.ts';
import { createDisk, whyNoDisks } from '../prove/support-disk.ts';

let root: string;
beforeEach(async () => void (root = await mkdtemp(join(tmpdir(), 'portolan-begin-'))));
afterEach(() => rm(root, { recursive: true, force: true }));

const view = { run: 'r', state: 'running', steps: [] } as unknown as RunSnapshot['view'];
const noDisks = await whyNoDisks();

test.skipIf(noDisks !== undefined)('a run whose folder a disk does not take says so, until the disk takes it', async () => {
  await using disk = await createDisk(join(root, 'disk'), '1m');
  const store = join(root, 'disk', 'r');
  await disk.readOnly();
  const pending = await pendingBegin(store);
  expect(limitingNow({ view, source: 'worker', pending })).toEqual([
    { cause: 'missing', text: expect.stringMatching(/^begin waits, no attempt used: the disk can only be read \(.*disk\): EROFS: [^;]*$/) },
  ]);
  await disk.show();
});

test('a folder that is there, or that can be made, keeps no run waiting', async () => {
  const store = join(root, 'runs', 'r');
  expect(await pendingBegin(store)).toEqual([]);
  await mkdir(store, { recursive: true });
  expect(await pendingBegin(store)).toEqual([]);
});
