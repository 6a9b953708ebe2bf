import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isKept, type Kept } from '../../pipelines/kept.ts';
import type { Json } from '../../text/json.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { keepValue, keptValue } from '../../store/kept-values.ts';
import type { RunStore } from '../../store/run-store.ts';

let root: string;
let store: RunStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portolan-kept-'));
  store = createRunStore(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('a small value is itself, a large one a reference; both are read as what they were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.nat({ max: 3_000 }), async (value, repeat) => {
      const given = JSON.parse(JSON.stringify([value, 'ab'.repeat(repeat)])) as Json;
      const kept = await keepValue(store, given);
      expect(JSON.stringify(kept).length).toBeLessThan(4_200);
      expect(await keptValue(kept)).toEqual(given);
    }),
    { numRuns: 50 },
  );
});

test('what is large counts bytes: a text of other characters is a large value sooner', async () => {
  expect(await keepValue(store, '映'.repeat(1_364))).toBe('映'.repeat(1_364));
  expect(await keepValue(store, '映'.repeat(1_365))).toSatisfy(isKept);
  expect(await keepValue(store, 'x'.repeat(4_094))).toBe('x'.repeat(4_094));
  expect(await keepValue(store, 'x'.repeat(4_095))).toSatisfy(isKept);
});

test('data that looks like a reference is never taken for one', async () => {
  const forged: Json = { $kept: 'file:///etc/passwd', sha256: 'x', bytes: 1 };
  const kept = await keepValue(store, forged);
  expect(kept).not.toEqual(forged);
  expect(await keptValue(kept)).toEqual(forged);
  await expect(keptValue(forged)).rejects.toThrow('is not what was kept');
});

test('a kept value that was changed, or whose run is gone, is not read', async () => {
  const kept = (await keepValue(store, 'x'.repeat(5_000))) as Kept;
  expect(isKept(kept)).toBe(true);
  const [name] = await readdir(join(root, 'values'));
  await writeFile(join(root, 'values', name!), '"other"');
  await expect(keptValue(kept)).rejects.toThrow('is not what was kept');
  await rm(join(root, 'values'), { recursive: true });
  await expect(keptValue(kept)).rejects.toThrow('the folder of the run that made it is gone');
});

test.skipIf(process.platform !== 'linux')('a disk that does not read is no folder that is gone', async () => {
  await expect(keptValue({ $kept: 'file:///proc/self/mem', sha256: 'x', bytes: 1 })).rejects.toMatchObject({
    name: 'Unavailable',
    resource: 'disk',
  });
});

test('a reference reads no file but one that is named by its hash', async () => {
  const text = '"of somebody else"';
  await writeFile(join(root, 'other.json'), text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const $kept = pathToFileURL(join(root, 'other.json')).href;
  await expect(keptValue({ $kept, sha256, bytes: text.length })).rejects.toThrow('is not what was kept');
});

test('more than a step may read at once is refused', async () => {
  await expect(keepValue(store, 'x'.repeat(5_000_000))).rejects.toThrow('at most 4,194,304 can be kept');
});
