import { createHash } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import type { RunStore } from '../../store/run-store.ts';

let store: RunStore;
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portolan-store-'));
  store = createRunStore(pathToFileURL(join(root, 'run-1')).href);
});
afterEach(() => rm(root, { recursive: true }));

describe('the item ledger', () => {
  test('is read while a run replaces parts of it: each part as it was, or as it is', async () => {
    const part = (attempts: number) =>
      Array.from({ length: 1 + (attempts % 5) * 400 }, (_, at) => ({ item: `${attempts}-${at}`, status: 'done', attempts }));
    await store.items('rows', 0, part(1));
    let isOver = false;
    const writes = (async () => {
      for (let attempt = 2; attempt < 100; attempt++) await store.items('rows', 0, part(attempt));
      isOver = true;
    })();
    while (!isOver) {
      const found = await store.readItems({ step: 'rows' });
      const of = found[0]!.attempts;
      expect(found.map(({ item, attempts }) => [item, attempts])).toEqual(part(of).map(({ item }) => [item, of]));
    }
    await writes;
  });

  test('holds one row per item, and a chunk written again replaces its rows', async () => {
    await store.items('rows', 0, [
      { item: 'a', status: 'added', attempts: 1 },
      { item: 'b', status: 'added', attempts: 1 },
    ]);
    await store.items('rows', 0, [
      { item: 'a', status: 'added', attempts: 2 },
      { item: 'b', status: 'added', attempts: 2 },
    ]);
    await store.items('rows', 1, [
      { item: "it's", status: 'rejected', reason: 'gross: "x", not a number', attempts: 1, request_id: 'r-1' },
    ]);
    await store.items('tag', 0, [{ item: 'a', status: 'tagged', attempts: 1 }]);
    expect(await store.countItems()).toEqual([
      { step: 'rows', status: 'added', count: 2 },
      { step: 'rows', status: 'rejected', count: 1 },
      { step: 'tag', status: 'tagged', count: 1 },
    ]);
    expect(await store.readItems({ step: 'rows', status: 'rejected' })).toEqual([
      { step: 'rows', item: "it's", status: 'rejected', reason: 'gross: "x", not a number', attempts: 1, request_id: 'r-1' },
    ]);
    expect(await store.readItems({ limit: 2 })).toHaveLength(2);
  });

  test('takes groups of items that ended alike', async () => {
    await store.fates('rows', 0, [
      { items: ['a', 'b'], fate: { status: 'added', attempts: 1, request_id: 'r-1' } },
      { items: ['c'], fate: { status: 'missing', reason: 'no such point', attempts: 2 } },
    ]);
    await store.fates('rows', 1, [{ items: ['d'], fate: { status: 'added', attempts: 1, request_id: 'r-2' } }]);
    await store.fates('rows', 2, []);
    const fate = { step: 'rows', reason: null, attempts: 1 };
    expect(await store.readItems()).toEqual([
      { ...fate, item: 'a', status: 'added', request_id: 'r-1' },
      { ...fate, item: 'b', status: 'added', request_id: 'r-1' },
      { step: 'rows', item: 'c', status: 'missing', reason: 'no such point', attempts: 2, request_id: null },
      { ...fate, item: 'd', status: 'added', request_id: 'r-2' },
    ]);
  });

  test('takes many small groups too', async () => {
    const groups = Array.from({ length: 20 }, (_, at) => ({
      items: [`a${at}`, `b${at}`],
      fate: { status: at % 2 ? 'tagged' : 'missing', attempts: 1, ...(at % 3 ? { reason: `no ${at}` } : {}) },
    }));
    await store.fates('tag', 0, groups);
    expect(await store.readItems()).toEqual(
      groups.flatMap(({ items, fate }) => items.map((item) => ({ step: 'tag', item, reason: null, request_id: null, ...fate }))),
    );
  });

  test('is empty before the first chunk, and no temporary file stays', async () => {
    expect(await store.countItems()).toEqual([]);
    await store.items('rows', 3, [{ item: 'a', status: 'added', attempts: 1 }]);
    expect(await readdir(store.path('items', 'rows'))).toEqual(['00003.parquet']);
  });
});

test('an id list is read back in order from any part of it', async () => {
  const ids = Array.from({ length: 12_345 }, (_, index) => `id-${index}`);
  const list = await store.writeIds('find', [ids.slice(0, 7_000), ids.slice(7_000)]);
  expect(list.count).toBe(12_345);
  expect(await store.readIds(list.uri, 4_998, 5_003)).toEqual(ids.slice(4_998, 5_003));
  expect(await store.readIds(list.uri, 12_340, 99_999)).toEqual(ids.slice(12_340));
  expect(await store.writeIds('none', [])).toMatchObject({ count: 0 });
});

test('a list keeps the hash of its ids; one whose folder is gone is refused by name', async () => {
  const ids = Array.from({ length: 6_000 }, (_, index) => `id-${index}`);
  const list = await store.writeIds('find', async (add) => {
    await add(ids.slice(0, 10));
    await add(ids.slice(10));
  });
  const hash = createHash('sha256')
    .update(`${ids.join('\n')}\n`)
    .digest('hex');
  expect(await store.hashIds(list.uri)).toBe(hash);
  await rm(store.path('ids', 'find'), { recursive: true });
  await expect(store.readIds(list.uri, 0, 1)).rejects.toThrow(/no id list in .*find/);
});

test('events survive a line cut by a kill', async () => {
  await store.event({ step: 'rows', kind: 'wait', cause: '429', ms: 5_000 });
  const [file] = await readdir(store.path('events'));
  await appendFile(store.path('events', file!), '{"at":"2026-}\n');
  await writeFile(store.path('events', 'other.jsonl'), '{"at":"1","st{"at":"2"}\n');
  expect(await store.events()).toMatchObject([{ step: 'rows', kind: 'wait', ms: 5_000 }]);
});

test('events of several processes come in the order of their times', async () => {
  const line = (at: string): string => `${JSON.stringify({ at, step: 'rows', kind: 'note', cause: at })}\n`;
  await mkdir(store.path('events'), { recursive: true });
  await writeFile(store.path('events', 'a.jsonl'), line('2026-11-21T12:00:01Z') + line('2026-11-21T12:00:04Z'));
  await writeFile(store.path('events', 'b.jsonl'), line('2026-11-21T12:00:00Z') + line('2026-11-21T12:00:03Z'));
  expect((await store.events()).map(({ at }) => at.slice(-3, -1))).toEqual(['00', '01', '03', '04']);
});

test('what one run remembers another of the same store recalls', async () => {
  await store.remember('tag x', { run: 'run-1' });
  expect(await createRunStore(join(root, 'run-2')).recall('tag x')).toEqual({ run: 'run-1' });
  expect(await store.recall('tag y')).toBeUndefined();
});

test('a damaged memory of earlier runs is named with its file, and once that is taken away nothing is known, and is learnt anew', async () => {
  await store.remember('tag x', { run: 'run-1' });
  const [name] = await readdir(join(root, 'known'));
  const file = join(root, 'known', name!);
  await writeFile(file, '{"run":"ru');
  await expect(store.recall('tag x')).rejects.toMatchObject({
    name: 'DamagedFile',
    message: expect.stringMatching(`^${file} is damaged: `),
    remedy: expect.stringContaining('without one, take it away while no run goes on'),
  });
  await rm(file);
  expect(await store.recall('tag x')).toBeUndefined();
  await store.remember('tag x', { run: 'run-2' });
  expect(await store.recall('tag x')).toEqual({ run: 'run-2' });
});

test('of two attempts that decide the same thing the first one holds', async () => {
  const decided = await Promise.all(['a', 'b'].map((each) => createRunStore(join(root, 'run-1')).keepJson('plan/one.json', each)));
  expect(new Set(decided).size).toBe(1);
  expect(await store.readJson('plan/one.json')).toBe(decided[0]);
  expect(await readdir(store.path('plan'))).toEqual(['one.json']);
});
