import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import { writeIdPart, type TagOperation } from '../../store/tag-lists.ts';
import { openTagRecord, type TagRecord } from '../../store/tag-record.ts';
import { onMap } from '../../store/tag-seen.ts';

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

/** Points that the map shows, and one that the dataset has and the map not yet. */
const shown = [...'abcdef'];
const offMap = 'z';

/** A store, a record in it, and a map that steps and other people change. */
function worldOf(perPass: number) {
  const store = createRunStore(join(folder, 'runs', 'one'));
  const record = openTagRecord(store, { connection: 'local', url: 'http://maps', map: randomUUID(), tag: 'near' }, { perPass });
  const map = new Set<string>();
  const change = ({ operation, ids }: Change): void => ids.forEach((id) => (operation === 'add' ? map.add(id) : map.delete(id)));
  /** What the map says, as it is read. */
  const read = async (): Promise<string> => {
    const into = join(folder, randomUUID());
    for (const has of [true, false]) {
      const ids = shown.filter((id) => map.has(id) === has);
      if (ids.length > 0) await writeIdPart(join(onMap(into, has), '0.parquet'), ids);
    }
    return into;
  };
  const begin = async ({ operation, ids }: Change) => {
    const run = randomUUID();
    // A run whose folder is gone has ended.
    await mkdir(join(folder, 'runs', run), { recursive: true });
    const number = await record.begin({ run, step: 'tag', operation, points: '' });
    const { uri } = await store.writeIds(randomUUID(), [ids]);
    return { number, uri };
  };
  /** A step from its beginning to its end. */
  const step = async (of: Change): Promise<number> => {
    const { number, uri } = await begin(of);
    const look = await record.look(number);
    await record.see(look, uri, await read());
    await record.points(number, 0, of.ids);
    change(of);
    await record.end(number);
    return number;
  };
  const changed = async (number: number): Promise<string[]> => {
    const found: string[] = [];
    for await (const ids of record.changed({ number })) found.push(...ids);
    return found.sort();
  };
  return { record, map, change, read, begin, step, changed };
}

test('whatever runs and others have done before, what a step is to be taken back at are the points that stood otherwise before it', async () => {
  const operation = fc.constantFrom<TagOperation>('add', 'remove');
  const listed = fc.uniqueArray(fc.constantFrom(...shown, offMap), { minLength: 1 });
  const act = fc.oneof(
    fc.record({ by: fc.constant('run' as const), operation, ids: listed, undone: fc.boolean() }),
    fc.record({ by: fc.constant('hand' as const), operation, ids: fc.uniqueArray(fc.constantFrom(...shown), { minLength: 1 }) }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 5 }),
      fc.record({ operation, ids: listed }),
      fc.integer({ min: 1, max: 9 }),
      async (acts, last, perPass) => {
        const { record, map, change, step, changed } = worldOf(perPass);
        for (const each of acts) {
          if (each.by === 'hand') {
            change(each);
            continue;
          }
          const number = await step(each);
          if (!each.undone) continue;
          change({ operation: each.operation === 'add' ? 'remove' : 'add', ids: await changed(number) });
          await record.takeBack(number, 'undo', 'undone');
        }
        const otherwise = last.ids.filter((id) => map.has(id) !== (last.operation === 'add'));
        const number = await step(last);
        expect(await changed(number)).toEqual(otherwise.sort());
      },
    ),
    { numRuns: 25 },
  );
});

test('a tag that the map does not have any more is at no point, also of those that it does not show', async () => {
  const { record, begin, step, changed } = worldOf(9);
  await step({ operation: 'add', ids: ['a', offMap] });
  const { number, uri } = await begin({ operation: 'add', ids: ['a', 'b', offMap] });
  await record.see(await record.look(number), uri, undefined);
  await record.points(number, 0, ['a', 'b', offMap]);
  await record.end(number);
  expect(await changed(number)).toEqual(['a', 'b', offMap]);
});

test.each(['before', 'while'])(
  'what a step sends that began %s the map was read is not taken for a change of somebody else',
  async (when) => {
    const { record, map, begin, read, changed, change } = worldOf(9);
    const ids = ['a', 'b'];
    const first = async (): Promise<{ number: number; uri: string }> => {
      const begun = await begin({ operation: 'add', ids });
      await record.points(begun.number, 0, ids);
      return begun;
    };
    const under = when === 'before' ? await first() : undefined;
    const { number, uri } = await begin({ operation: 'add', ids });
    const look = await record.look(number);
    const other = under ?? (await first());
    if (!under) change({ operation: 'add', ids });
    await record.see(look, uri, await read());
    for (const each of [number, other.number]) {
      change({ operation: 'add', ids });
      await record.points(each, 0, ids);
      await record.end(each);
    }
    expect(map.size).toBe(2);
    // Each holds the points of the other until that is taken back too.
    expect(await changed(number)).toEqual([]);
    await record.takeBack(other.number, 'undo', 'undone');
    expect(await changed(number)).toEqual(ids);
  },
);

test('what is being taken back is nobody else’s change either', async () => {
  const { record, begin, step, read, changed, change } = worldOf(9);
  const first = await step({ operation: 'add', ids: ['a'] });
  const removal = await step({ operation: 'remove', ids: ['a'] });
  await record.takeBack(removal, 'undo', 'undoing');
  change({ operation: 'add', ids: ['a'] });
  const { number, uri } = await begin({ operation: 'add', ids: ['a'] });
  await record.see(await record.look(number), uri, await read());
  await record.points(number, 0, ['a']);
  await record.end(number);
  await record.takeBack(removal, 'undo', 'undone');
  await record.takeBack(first, 'undo', 'undone');
  expect(await changed(number)).toEqual(['a']);
});

test('while another entry may still change points, an undo asks anew; one that stands as an entry that is taken back does not stand', async () => {
  const { record, begin, step } = worldOf(9);
  const first = await step({ operation: 'add', ids: ['a'] });
  expect(await record.quietBeside(first)).toBe(first);
  const { number } = await begin({ operation: 'add', ids: ['a'] });
  expect(await record.quietBeside(first)).toBeUndefined();
  expect(await record.stands(number, first)).toBe(true);
  // It stands until it finds that the first one is being taken back: then it sends.
  await record.takeBack(first, 'undo', 'undoing');
  expect(await record.quietBeside(first)).toBeUndefined();
  expect(await record.stands(number, first)).toBe(false);
  expect((await record.entries()).map(({ as }) => as)).toEqual([undefined, undefined]);
  await record.end(number);
  expect(await record.quietBeside(first)).toBe(number);
  await record.takeBack(number, 'undo', 'undoing');
  expect(await record.quietBeside(first)).toBeUndefined();
});

test('a damaged entry is named with its file, and does its work again once it is written anew as its remedy says', async () => {
  const runs = join(folder, 'damaged');
  const record = openTagRecord(createRunStore(join(runs, 'one')), { connection: 'local', url: 'http://maps', map: 'm', tag: 'near' });
  await recorded(record, [
    { operation: 'add', ids: ['a', 'b'] },
    { operation: 'add', ids: ['b', 'c'] },
  ]);
  const [hash] = await readdir(join(runs, 'tags'));
  const file = join(runs, 'tags', hash!, '00000002.json');
  const whole = await readFile(file, 'utf8');
  for (const text of [whole.slice(0, whole.length / 2), '{}', 'null', '']) {
    await writeFile(file, text);
    const failure = await record.entries().catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'DamagedFile', message: expect.stringMatching(`^${file} is damaged: `) });
    await expect(record.stands(2, undefined)).rejects.toMatchObject({ name: 'DamagedFile' });
    const [anew] = /\{"run".*?\}/.exec((failure as { remedy: string }).remedy)!;
    await writeFile(file, anew.replace('RUN', 'run-1').replace('STEP', 'tag'));
    const found: string[] = [];
    for await (const ids of record.changed({ number: 2 })) found.push(...ids);
    expect(found).toEqual(['c']);
  }
});
