import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChunkLedger } from '../../activities/frame/chunk-ledger.ts';
import { createRunStore } from '../../store/create-run-store.ts';

let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'portolan-ledger-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

test('what a later attempt knows of an item takes the place of what an earlier one knew, and the rest stays', async () => {
  const store = createRunStore(join(dir, 'runs', 'one'));
  const first = openChunkLedger(store, 'load', 0, 1);
  first.add([
    { items: ['a', 'b'], fate: { status: 'failed', reason: 'busy', attempts: 1 } },
    { items: ['c'], fate: { status: 'added', attempts: 1 } },
  ]);
  await first.writePart();
  const second = openChunkLedger(store, 'load', 0, 2);
  second.add([{ items: ['a'], fate: { status: 'added', attempts: 2 } }]);
  second.unknown(['c', 'd'], 'no answer was seen');
  expect(await second.writePart()).toMatchObject({ failed: 1, unknown: 1 });
  const read = await store.readItems({ step: 'load', chunk: 0 });
  expect(read.map(({ item, status }) => `${item} ${status}`).toSorted()).toEqual(['a added', 'b failed', 'c added', 'd unknown']);
});
