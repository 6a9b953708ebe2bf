import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { passedRows } from '../../store/passed-rows.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'portolan-passed-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('what was put aside is taken once, by its name and in any order', async () => {
  const names = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(names, fc.jsonValue(), fc.infiniteStream(fc.boolean()), async (keys, value, takes) => {
      const path = join(folder, 'any');
      const aside: string[] = [];
      {
        await using passed = passedRows<unknown>(path);
        const take = async (): Promise<void> => {
          const key = aside.pop()!;
          expect(await passed.take(key)).toEqual(JSON.parse(JSON.stringify([key, value])));
          expect(await passed.take(key)).toBeUndefined();
        };
        for (const key of keys) {
          await passed.put(key, [key, value]);
          aside.unshift(key);
          if (takes.next().value) await take();
        }
        while (aside.length > 0) await take();
      }
      expect(existsSync(path)).toBe(false);
    }),
    { numRuns: 40 },
  );
});

/** Bytes that are in use. */
function inUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('what was put aside is not held in memory', async () => {
  await using passed = passedRows<string>(join(folder, 'large'));
  const before = inUse();
  for (let at = 0; at < 1_000; at++) await passed.put(String(at), `${at} `.repeat(20_000));
  expect(inUse() - before).toBeLessThan(16 * 1024 * 1024);
  expect(await passed.take('700')).toBe('700 '.repeat(20_000));
});
