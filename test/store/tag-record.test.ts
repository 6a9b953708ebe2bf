import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import { openTagRecord, type TagOperation, type TagRecord } from '../../store/tag-record.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'portolan-tags-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

type Change = { operation: TagOperation; ids: string[] };

/** Entries of the record: one for each change, in their order. */
async function recorded(record: TagRecord, changes: readonly Change[]): Promise<void> {
  for (const [at, { operation, ids }] of changes.entries()) {
    const number = await record.begin({ run: `run-${at}`, step: 'tag', operation, points: `points-${at}` });
    await record.points(number, 0, ids);
    await record.end(number);
  }
}

/** Points that are tagged after these changes. */
const tagged = (changes: readonly Change[]): Set<string> => {
  const have = new Set<string>();
  for (const { operation, ids } of changes) for (const id of ids) operation === 'add' ? have.add(id) : have.delete(id);
  return have;
};

test('the points that a step alone has changed are those that would stand otherwise without it, each once, in however many passes', async () => {
  const change = fc.record({
    operation: fc.constantFrom<TagOperation>('add', 'remove'),
    ids: fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 1 }),
  });
  let map = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 9 }), async (changes, perPass) => {
      const store = createRunStore(join(folder, 'runs', 'one'));
      const record = openTagRecord(store, { connection: 'local', url: 'http://maps', map: String(++map), tag: 'near' }, { perPass });
      await recorded(record, changes);
      for (const [at, { ids }] of changes.entries()) {
        const number = at + 1;
        const found: string[] = [];
        for await (const batch of record.changed({ number })) found.push(...batch);
        let count = 0;
        for await (const part of record.countChanged({ number })) count += part;
        const [now, without] = [tagged(changes), tagged(changes.filter((_, other) => other !== at))];
        expect([...found].sort()).toEqual([...ids].filter((id) => now.has(id) !== without.has(id)).sort());
        expect(count).toBe(found.length);
        expect(await record.count(number)).toBe(ids.length);
      }
    }),
    { numRuns: 30 },
  );
});
