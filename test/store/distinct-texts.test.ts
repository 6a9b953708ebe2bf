import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { streamFiles, writeParquet } from '../../store/columnar.ts';
import { distinctTexts } from '../../store/distinct-texts.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'portolan-distinct-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const all = async (batches: AsyncIterable<string[]>): Promise<string[]> => {
  const found: string[] = [];
  for await (const batch of batches) found.push(...batch);
  return found;
};

test('every different text comes once, in the same order each time, in however many passes', async () => {
  const files = join(folder, 'texts', '*.parquet');
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('a', 'b', 'a b', '', "it's"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 40 }),
      fc.array(text, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 100 }),
      async (...[one, two, perPass]) => {
        for (const [at, texts] of [one, two].entries())
          await writeParquet(
            join(folder, 'texts', `${at}.parquet`),
            { 'the "text"': { type: 'UTF8' } },
            texts.map((each) => ({ 'the "text"': each })),
          );
        const found = await all(distinctTexts(files, 'the "text"', { perPass }));
        expect([...found].sort()).toEqual([...new Set([...one, ...two])].sort());
        expect(await all(distinctTexts(files, 'the "text"', { perPass }))).toEqual(found);
      },
    ),
    { numRuns: 40 },
  );
});

test('rows are handed over as they are read: a result without end has a first batch', async () => {
  for await (const rows of streamFiles<{ n: number }>('select range::double as n from range(1000000000000)')) {
    expect(rows[0]).toEqual({ n: 0 });
    expect(rows.length).toBeLessThan(100_000);
    break;
  }
});
