import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMarks, type Marks } from '../../store/marks.ts';
import { createProject } from '../service/world.ts';
import { finished } from './finished.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
let marks: Marks;
beforeAll(async () => {
  world = await createStepWorld([], { lagMs: 300 });
  marks = createMarks(join(world.dir, '.portolan', 'runs'));
});
afterAll(() => world[Symbol.asyncDispose]());

type Row = { key: string; at: string | number | null; n?: number };

let projects = 0;
/** A dataset of its own, and a step that reads a table into it since its mark. */
async function feed(since: object = { column: 'at', overlap: '1h' }, source = `feed-${projects + 1}.json`) {
  const { project_id } = await createProject(world, `since-${(projects += 1)}`, { unique_id_field: 'key' });
  const input = async (rows: readonly Row[], more: object = {}) => ({
    dataset: project_id,
    source: await world.table(rows, source),
    id: { column: 'key' },
    since,
    ...more,
  });
  const owner = { pipeline: 'test', step: 'dataset-append', connection: 'here', dataset: project_id, source };
  return {
    project_id,
    input,
    owner,
    read: async (rows: readonly Row[], more: object = {}) =>
      (await world.newRun().step('dataset.append', await input(rows, more), { approved: true })).output,
    mark: async () => (await marks.newest(owner))?.to?.value,
    keys: async (ids: string[]): Promise<string[]> =>
      (await world.api.post('/v1/project/data/get', { project_id, datum_ids: ids })).body.datums.map(({ key }: Row) => key),
  };
}

const hour = (at: number): string => `2024-05-01T${String(at).padStart(2, '0')}:00:00Z`;

test('only rows beyond the mark are sent; late ones within the overlap are, and those of it that were sent before are left out', async () => {
  const { read, mark } = await feed({ column: 'at', overlap: '2h' });
  const rows: Row[] = [1, 2, 3, 4].map((at) => ({ key: `k${at}`, at: hour(at) }));
  expect(await read(rows)).toMatchObject({
    rows: 4,
    added: 4,
    since: { from: null, to: '2024-05-01T04:00:00.000000Z', of: 4, seen: 0, moved: false },
  });
  const later: Row[] = [...rows, { key: 'late', at: hour(3) }, { key: 'too-late', at: hour(1) }, { key: 'k5', at: hour(5) }];
  const { value, calls } = await world.callsOf(() => read(later));
  expect(value).toMatchObject({ rows: 2, added: 2, present: 0, since: { from: '2024-05-01T04:00:00.000000Z', of: 7, seen: 3 } });
  expect(calls.filter((operation) => operation === 'maps.data.addArrow')).toHaveLength(1);
  expect(await mark()).toBe('2024-05-01T05:00:00.000000Z');
  expect(await read(later)).toMatchObject({ rows: 0, added: 0, since: { seen: 4 } });
});

test('of which rows within the overlap were taken the lists of the last two settings are kept', async () => {
  const { read, owner } = await feed({ column: 'at', overlap: '2h' });
  for (const count of [1, 2, 3]) await read([1, 2, 3].slice(0, count).map((at) => ({ key: `k${at}`, at: hour(at) })));
  const lists = (await marks.history(owner)).map((version) => marks.seenFile(version)!);
  expect(lists.map((list) => existsSync(list))).toEqual([false, true, true]);
});

test('a source that has become shorter does not move its mark back', async () => {
  const { read, mark } = await feed({ column: 'at' });
  const rows: Row[] = [1, 2, 3, 4].map((at) => ({ key: `k${at}`, at: hour(at) }));
  await read(rows);
  await read(rows.slice(0, 2));
  expect(await mark()).toBe('2024-05-01T04:00:00.000000Z');
});

test('a load since a mark appends, however large the table is', async () => {
  await using small = await createStepWorld([], { lagMs: 300, batch: { rows: 1 } });
  const { project_id } = await createProject(small, 'since-load', { unique_id_field: 'key' });
  const source = await small.table(Array.from({ length: 21 }, (_, at) => ({ key: `k${at}`, at })));
  const input = { dataset: project_id, source, id: { column: 'key' }, since: { column: 'at' } };
  expect((await small.newRun().step('dataset.load', input)).output).toMatchObject({ way: 'append', added: 21, since: { to: '20' } });
  expect((await small.newRun().step('dataset.load', input)).output).toMatchObject({ way: 'append', added: 0, since: { from: '20' } });
});

test('a row at the mark that comes later is read, and one that was changed within the overlap is', async () => {
  const { read } = await feed({ column: 'at' });
  const rows: Row[] = [
    { key: 'a', at: 7 },
    { key: 'b', at: 8, n: 1 },
  ];
  await read(rows);
  const later: Row[] = [rows[0]!, { key: 'b', at: 8, n: 2 }, { key: 'c', at: 8, n: 1 }];
  const { rows: taken, added, changed } = await read(later);
  expect({ taken, added, changed }).toEqual({ taken: 2, added: 1, changed: 1 });
  // Once: they are known now, though the mark stands where it was.
  expect(await read(later)).toMatchObject({ rows: 0, added: 0 });
});

test('rows without a value are read once, and a time that is still to come moves no mark beyond now', async () => {
  const { read, mark } = await feed();
  const rows: Row[] = [
    { key: 'none', at: null },
    { key: 'a', at: hour(1) },
    { key: 'future', at: '2999-01-01T00:00:00Z' },
  ];
  expect(await read(rows)).toMatchObject({ added: 3 });
  expect(await mark()).toBe('2024-05-01T01:00:00.000000Z');
  expect(await read([...rows, { key: 'b', at: hour(2) }])).toMatchObject({ rows: 1, added: 1, since: { seen: 3 } });
});

test('a zone in a text counts; a value that is no time is refused with its row, and so is an overlap of another kind', async () => {
  const { read, mark } = await feed();
  await read([{ key: 'a', at: '2024-05-01 10:00:00+02:00' }]);
  expect(await mark()).toBe('2024-05-01T08:00:00.000000Z');
  await expect(
    read([
      { key: 'b', at: hour(2) },
      { key: 'c', at: 'soon' },
    ]),
  ).rejects.toThrow(/row 2: at is "soon".*no time/);
  const numbers = await feed({ column: 'at', overlap: '1h' });
  await expect(numbers.read([{ key: 'b', at: 7 }])).rejects.toThrow('its overlap is a whole number');
  const other = await feed({ column: 'n' });
  await expect(other.read([{ key: 'b', at: 7 }])).rejects.toThrow(/there is no column 'n'/);
});

test('of equal rows each is sent once, also where one comes later', async () => {
  const { read } = await feed({ column: 'at' });
  const twin = { key: 'x', at: 5, n: 0 };
  const own = { id: { row: true }, columns: { at: 'at', n: 'n' } };
  expect(await read([twin, { key: 'y', at: 4 }], own)).toMatchObject({ added: 2 });
  expect(await read([twin, { key: 'y', at: 4 }, twin], own)).toMatchObject({ rows: 1, added: 1 });
});

test('the mark is set when the rows are acknowledged, and not before: a run that failed leaves it, and the next reads again', async () => {
  const { read, input, mark, owner } = await feed();
  const rows: Row[] = [1, 2].map((at) => ({ key: `k${at}`, at: hour(at) }));
  const run = world.newRun();
  const args = run.argsOf('dataset.append', await input(rows));
  const { state } = await run.attempt('dataset.append', 'prepare', args);
  const counts = await run.attempt('dataset.append', 'main', { ...args, state, chunk: 0 });
  expect(await mark()).toBeUndefined();
  expect(await read(rows)).toMatchObject({ added: 0, present: 2 });
  // The other run has read all that this one has.
  const { since } = await run.attempt('dataset.append', 'finish', { ...args, state, counts });
  expect(since).toMatchObject({ from: null, moved: true });
  expect(await marks.history(owner)).toHaveLength(1);
});

test('a finish that is done twice sets the mark once', async () => {
  const { input, owner } = await feed();
  const run = world.newRun();
  const args = run.argsOf('dataset.append', await input([{ key: 'a', at: hour(1) }]));
  const { state } = await run.attempt('dataset.append', 'prepare', args);
  const counts = await run.attempt('dataset.append', 'main', { ...args, state, chunk: 0 });
  const finish = () => run.attempt('dataset.append', 'finish', { ...args, state, counts });
  expect(await finish()).toMatchObject({ since: { moved: false } });
  expect(await finish()).toMatchObject({ since: { moved: false } });
  expect(await marks.history(owner)).toMatchObject([{ version: 1, run: run.id, rows: 1, from: null }]);
  // Also where somebody has set it since.
  await marks.set(1, { ...owner, from: null, to: null, by: 'somebody' });
  expect(await finish()).toMatchObject({ since: { moved: false } });
});

test('of two that set the version after the same one, one alone does', async () => {
  const { owner } = await feed();
  const next = { ...owner, from: null, to: null, by: 'somebody' };
  const set = await Promise.all([marks.set(0, next), marks.set(0, next)]);
  expect(set.filter((each) => each !== undefined)).toMatchObject([{ version: 1 }]);
  expect(await marks.set(0, next)).toBeUndefined();
  expect(await marks.history(owner)).toHaveLength(1);
});

test('rows that something else has added without a mark are noticed in the count, and the mark stays', async () => {
  const { project_id, input, mark } = await feed();
  const run = world.newRun();
  const args = run.argsOf('dataset.append', await input([{ key: 'a', at: hour(1) }]));
  const { state } = await run.attempt('dataset.append', 'prepare', args);
  const counts = await run.attempt('dataset.append', 'main', { ...args, state, chunk: 0 });
  const source = await world.table([{ key: 'other', at: hour(1) }]);
  await world.newRun().step('dataset.append', { dataset: project_id, source, id: { column: 'key' } });
  await expect(run.attempt('dataset.append', 'finish', { ...args, state, counts })).rejects.toThrow('Something else wrote to the dataset');
  expect(await mark()).toBeUndefined();
});

test('a run that has read further than the one which moved its mark fails and leaves the mark; so does one whose mark a person has set', async () => {
  for (const by of ['run', 'person']) {
    const { read, input, mark, owner } = await feed();
    const rows: Row[] = [1, 2, 3].map((at) => ({ key: `k${at}`, at: hour(at) }));
    const run = world.newRun();
    const args = run.argsOf('dataset.append', await input(rows));
    const { state } = await run.attempt('dataset.append', 'prepare', args);
    const counts = await run.attempt('dataset.append', 'main', { ...args, state, chunk: 0 });
    if (by === 'run') await read(rows.slice(0, 2)).catch(() => undefined);
    else await marks.set(0, { ...owner, from: null, to: { kind: 'time', value: '2024-05-01T09:00:00.000000Z' }, by: 'somebody' });
    const left = await mark();
    await expect(run.attempt('dataset.append', 'finish', { ...args, state, counts })).rejects.toMatchObject({
      type: 'MarkMoved',
      message: expect.stringContaining(by === 'run' ? 'run run-' : 'somebody has set it'),
    });
    expect(await mark()).toBe(left);
  }
});

test('a run fails and says so where the setting that it has read from was taken away since, as a damaged one is', async () => {
  const { read, input, owner } = await feed();
  await read([{ key: 'a', at: hour(1) }]);
  await marks.set(1, { ...owner, from: null, to: { kind: 'time', value: '2024-05-01T02:00:00.000000Z' }, by: 'somebody' });
  const run = world.newRun();
  const args = run.argsOf('dataset.append', await input([{ key: 'b', at: hour(3) }]));
  const { state } = await run.attempt('dataset.append', 'prepare', args);
  const counts = await run.attempt('dataset.append', 'main', { ...args, state, chunk: 0 });
  const root = join(world.dir, '.portolan', 'runs');
  const files = await readdir(root, { recursive: true });
  const newest = files.filter((name) => name.endsWith('00000002.json'));
  for (const name of newest) if ((await readFile(join(root, name), 'utf8')).includes(owner.dataset)) await rm(join(root, name));
  expect(await marks.history(owner)).toHaveLength(1);
  await expect(run.attempt('dataset.append', 'finish', { ...args, state, counts })).rejects.toMatchObject({
    type: 'MarkMoved',
    message: expect.stringContaining('that setting was taken away since'),
  });
});

test('whether a mark was moved is asked once, before rows are replaced: what a person does to it meanwhile is the next run’s', async () => {
  const { read, input, mark, owner } = await feed({ column: 'at', overlap: '5h' });
  await read([{ key: 'a', at: hour(1), n: 1 }]);
  const rows: Row[] = [{ key: 'a', at: hour(2), n: 2 }];
  const run = world.newRun();
  const args = run.argsOf('dataset.append', await input(rows, { onChange: 'replace' }), { approved: true });
  const { state } = await run.attempt('dataset.append', 'prepare', args);
  const counts = await run.attempt('dataset.append', 'main', { ...args, state, chunk: 0 });
  await marks.set(1, { ...owner, from: null, to: { kind: 'time', value: '2024-05-01T02:00:00.000000Z' }, run: 'run-other', rows: 1 });
  const { id } = await world.control.fault('maps.data.addArrow', 1, { hold: 'before' });
  const finish = finished(() => run.attempt('dataset.append', 'finish', { ...args, state, counts }));
  await world.control.held(id);
  await marks.set(2, { ...owner, from: null, to: null, by: 'somebody' });
  await world.control.release(id);
  expect(await finish).toMatchObject({ replaced: 1, since: { moved: true } });
  expect(await mark()).toBeUndefined();
});

test('a mark that was set back has its rows read again: those that are there are not sent', async () => {
  const { read, owner } = await feed();
  const rows: Row[] = [1, 2, 3].map((at) => ({ key: `k${at}`, at: hour(at) }));
  await read(rows);
  await marks.set(1, { ...owner, from: null, to: { kind: 'time', value: '2024-05-01T02:30:00.000000Z' }, by: 'somebody' });
  expect(await read([...rows, { key: 'missed', at: hour(2) }])).toMatchObject({ rows: 3, added: 1, present: 2 });
});

test('files of a glob are read once; those whose bytes changed again where that is asked for', async () => {
  for (const files of ['new', 'changed']) {
    const { project_id, mark } = await feed({ files }, `in-${files}/*.json`);
    const folder = join(world.dir, `in-${files}`);
    await mkdir(folder);
    const put = (name: string, ...rows: Row[]) => writeFile(join(folder, name), JSON.stringify(rows));
    const read = async () =>
      (
        await world
          .newRun()
          .step('dataset.append', { dataset: project_id, source: join(folder, '*.json'), id: { column: 'key' }, since: { files } })
      ).output;
    await put('a.json', { key: 'a', at: 1 });
    expect(await read()).toMatchObject({ rows: 1, added: 1, since: { from: null, to: '1', of: 1, seen: 0 } });
    expect(await read()).toMatchObject({ rows: 0, added: 0, since: { from: '1', to: '1', of: 1, seen: 1 } });
    await put('a.json', { key: 'a', at: 1 }, { key: 'a2', at: 1 });
    await put('b.json', { key: 'b', at: 1 });
    expect(await read()).toMatchObject(files === 'new' ? { rows: 1, added: 1 } : { rows: 3, added: 2, present: 1 });
    expect(await mark()).toBe('2');
    expect(await read()).toMatchObject({ rows: 0 });
    // Where a file changes and none comes the mark stays, and what was read of it is known all the same.
    await put('b.json', { key: 'b', at: 1 }, { key: 'b2', at: 1 });
    expect(await read()).toMatchObject(files === 'new' ? { rows: 0 } : { rows: 2, added: 1, present: 1 });
    expect(await read()).toMatchObject({ rows: 0, since: { of: 2, seen: 2 } });
  }
});
