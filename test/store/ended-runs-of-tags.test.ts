import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRunStore } from '../../store/create-run-store.ts';
import { openTagRecord, type TagRecordOptions } from '../../store/tag-record.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'portolan-ended-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A record of a tag in a store of its own, and the folders of the runs beside it. */
async function worldOf(name: string, options: TagRecordOptions = {}) {
  const runs = join(folder, name);
  const record = openTagRecord(createRunStore(join(runs, 'one')), { connection: 'local', url: 'http://maps', map: 'm', tag: 't' }, options);
  const folderOf = (run: string): Promise<unknown> => mkdir(join(runs, run), { recursive: true });
  const begin = async (run: string, ids: string[]): Promise<number> => {
    await folderOf(run);
    const number = await record.begin({ run, step: 'tag', operation: 'add', points: run });
    await record.points(number, 0, ids);
    return number;
  };
  const tagging = async (run: string, ids: string[]): Promise<number> => {
    const number = await begin(run, ids);
    await record.end(number);
    return number;
  };
  const changed = async (number: number): Promise<string[]> => {
    const found: string[] = [];
    for await (const ids of record.changed({ number })) found.push(...ids);
    return found.sort();
  };
  return { runs, record, folderOf, begin, tagging, changed };
}

test('what a step did whose undo has ended half-way stands, also once the folder of that undo is removed', async () => {
  const { runs, record, folderOf, tagging, changed } = await worldOf('half-way');
  const [first, second] = [await tagging('a', ['1', '2']), await tagging('b', ['2', '3'])];
  await folderOf('a.undo');
  await record.takeBack(first, 'a.undo', 'undoing');
  expect(await changed(second)).toEqual(['2', '3']);
  await writeFile(join(runs, 'a.undo', 'view.json'), JSON.stringify({ view: { state: 'failed', steps: [] }, endedAt: 'now' }));
  expect(await changed(second)).toEqual(['3']);
  await rm(join(runs, 'a.undo'), { recursive: true });
  expect(await changed(second)).toEqual(['3']);
});

test('a run that failed changes no point any more once its folder is removed', async () => {
  const { runs, record, begin, tagging } = await worldOf('removed');
  const failed = await begin('a', ['1']);
  const second = await tagging('b', ['2']);
  expect([await record.quietBeside(second), [...(await record.look()).settled]]).toEqual([undefined, [second]]);
  await rm(join(runs, 'a'), { recursive: true });
  expect([await record.quietBeside(second), [...(await record.look()).settled]]).toEqual([second, [failed, second]]);
});

test('of a run that says no end of its it is asked whether it goes on', async () => {
  const open = new Set(['a.undo']);
  const { record, folderOf, tagging, changed } = await worldOf('asked', { goesOn: async (run) => open.has(run) });
  const [first, second] = [await tagging('a', ['1', '2']), await tagging('b', ['2', '3'])];
  await folderOf('a.undo');
  await record.takeBack(first, 'a.undo', 'undoing');
  expect(await changed(second)).toEqual(['2', '3']);
  open.delete('a.undo');
  expect(await changed(second)).toEqual(['3']);
});
