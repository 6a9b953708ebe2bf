import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { literal } from '../../text/sql.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryFiles } from '../../store/columnar.ts';
import { createMap } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
let map: string;
let project_id: string;
beforeAll(async () => {
  world = await createStepWorld();
  ({ map, project_id } = await createMap(world, 60));
});
afterAll(() => world[Symbol.asyncDispose]());

test('a selection is a list of ids in the run store, of the rows that it means', async () => {
  const run = world.newRun();
  const { output } = await run.step('points.select', { map, where: { range: 'score', from: 1, to: 2 } });
  expect(output).toMatchObject({ count: 11, map });
  expect(await run.store.readIds(output.points.uri, 0, 100)).toEqual(Array.from({ length: 11 }, (_, at) => `row-${10 + at}`));
});

test.each([
  [{ range: 'year', from: '1910-01-01' }, "the column 'year' holds whole numbers, and '1910-01-01' is none of them"],
  [{ not: { category: 'year', in: ['old'] } }, "the column 'year' holds whole numbers, and 'old' is none of them"],
])('a condition that its column cannot meet is refused in the run too: %j', async (where, message) => {
  await expect(world.newRun().step('points.select', { map, where })).rejects.toMatchObject({
    type: 'BadInput',
    message: expect.stringContaining(message),
  });
});

test('points that a service leaves out of a long selection are noticed, and a short one is known to be whole', async () => {
  await using capped = await createStepWorld([], { readings: { 'range-ends': 'both', 'inverted-null': 'matches' } });
  const { map: long } = await createMap(capped, 60);
  await capped.control.assume({ 'selection-size': 'capped' });
  const select = (where?: object) => capped.newRun().step('points.select', { map: long, ...(where ? { where } : {}) });
  const short = { range: 'year', from: 1900, to: 1923 };
  const { value, calls } = await capped.callsOf(() => select(short));
  expect([value.output.count, calls.filter((each) => each === 'maps.query.select').length]).toEqual([24, 2]);
  const again = await capped.callsOf(() => select(short));
  expect(again.calls.filter((each) => each === 'maps.query.select')).toHaveLength(1);
  for (const where of [
    { range: 'year', from: 1900, to: 1924 },
    { range: 'year', from: 1900, to: 1940 },
  ])
    await expect(select(where)).rejects.toMatchObject({
      type: 'Inconclusive',
      message: expect.stringContaining('25 points were selected, and the selection of every point gives 25 of 60'),
    });
  await expect(select()).rejects.toMatchObject({ type: 'Inconclusive' });
  await capped.control.assume();
  expect((await select({ range: 'year', from: 1900, to: 1940 })).output.count).toBe(41);
});

test('the inversion that a selection is held against may be cut, too', async () => {
  await using capped = await createStepWorld([], { readings: { 'range-ends': 'both' } });
  const { map: long } = await createMap(capped, 60);
  await capped.control.assume({ 'selection-size': 'capped' });
  const where = { not: { range: 'year', from: 1910 } };
  await expect(capped.newRun().step('points.select', { map: long, where })).rejects.toMatchObject({
    type: 'Inconclusive',
    message: expect.stringContaining('it may give no more at a time'),
  });
});

test('the neighbours of a point are the nearest others, as many as are asked for, nearest first', async () => {
  const run = world.newRun();
  const points = await run.store.writeIds('points', [['row-3', 'row-17']]);
  const { output } = await run.step('points.neighbors', { map, points, k: 4 });
  const pairs = await queryFiles<{ point: string; neighbor: string; rank: number; distance: number }>(
    `select * from read_parquet(${literal(`${new URL(output.pairs).pathname}/*.parquet`)}) order by point, rank`,
  );
  for (const point of ['row-3', 'row-17']) {
    const own = pairs.filter((pair) => pair.point === point);
    expect(own.map(({ rank }) => rank)).toEqual([1, 2, 3, 4]);
    expect(own.map(({ neighbor }) => neighbor)).not.toContain(point);
    expect(own.map(({ distance }) => distance)).toEqual(own.map(({ distance }) => distance).toSorted((a, b) => a - b));
  }
  const found = [...new Set(pairs.map(({ neighbor }) => neighbor))].toSorted();
  expect(await run.store.readIds(output.points.uri, 0, 100)).toEqual(found);
});

test('a search gives its best results, within a selection', async () => {
  const { output } = await world.newRun().step('points.search', { map, query: 'ship number 9', k: 3, fields: ['id'] });
  expect(output.count).toBe(3);
  const within = await world.newRun().step('points.search', {
    map,
    query: 'ship number 9',
    k: 60,
    fields: ['id'],
    where: { range: 'score', from: 1, to: 2 },
  });
  expect(within.output.count).toBe(11);
});

test('what a search finds is a list of points too, the nearest first; without fields a result has its id alone', async () => {
  const run = world.newRun();
  const { output } = await run.step('points.search', { map, query: 'ship number 9', k: 5, fields: ['text'] });
  expect(output).toMatchObject({ count: 5, map, points: { count: 5 } });
  expect(output.results.every((row: object) => !('id' in row))).toBe(true);
  const { output: bare } = await world.newRun().step('points.search', { map, query: 'ship number 9', k: 5 });
  const ids = bare.results.map(({ id }: { id: string }) => id);
  expect(await run.store.readIds(output.points.uri, 0, 10)).toEqual(ids);
  expect(Object.keys(bare.results[0])).toEqual(expect.arrayContaining(['id', '_similarity']));
});

test('ids of a file or of a table are a list of points, each once; a table must say where they are', async () => {
  const run = world.newRun();
  const list = async (input: object) => (await world.newRun().step('points.list', { map, ...input })).output;
  const { points } = await list({ ids: ['row-1', 'row-2', 'row-1'] });
  expect(await run.store.readIds(points.uri, 0, 10)).toEqual(['row-1', 'row-2']);
  const table = await world.table([
    { id: 'row-3', n: 1 },
    { id: 'row-4', n: 2 },
    { id: 'row-3', n: 3 },
  ]);
  const read = await list({ source: table });
  expect(read.count).toBe(2);
  expect((await run.store.readIds(read.points.uri, 0, 10)).toSorted()).toEqual(['row-3', 'row-4']);
  const other = await world.table([{ key: 'row-5', n: 1 }]);
  await expect(list({ source: other })).rejects.toThrow("none of its columns key, n is called 'id'");
  expect((await list({ source: other, column: 'key' })).count).toBe(1);
  await expect(list({ source: other, column: 'nope' })).rejects.toThrow("has no column 'nope'");
  await expect(list({ source: await world.table([{ id: 'row-1' }, { id: null }]) })).rejects.toThrow('row 2 has no id');
});

test.each([
  ['in the column of the id field', 'id,n\n1.10,1\n1.1,2\n+1,3\n1,3\n', undefined],
  ['in the only column', 'film\n1.10\n1.1\n+1\n1\n', undefined],
  ['in a named column', 'n,film\n1,1.10\n1,1.1\n1,+1\n1,1\n', 'film'],
])('ids of a CSV file are the texts that stand there: %s', async (_, text, column) => {
  const run = world.newRun();
  const folder = await mkdtemp(join(tmpdir(), 'portolan-ids-test-'));
  const source = join(folder, 'points.csv');
  await writeFile(source, text);
  const { output } = await run.step('points.list', { map, source, ...(column === undefined ? {} : { column }) });
  expect((await run.store.readIds(output.points.uri, 0, 10)).toSorted()).toEqual(['+1', '1', '1.1', '1.10']);
  await rm(folder, { recursive: true });
});

test('rows are deleted by their ids, and each has its fate', async () => {
  const run = world.newRun();
  const points = await run.store.writeIds('points', [['row-50', 'row-51']]);
  const input = { dataset: project_id, points };
  const { value, calls } = await world.callsOf(() => run.step('data.delete', input, { approved: true }));
  expect(value.output).toMatchObject({ dataset: project_id, count: 2 });
  expect(calls).toContain('maps.data.delete');
  expect((await run.store.readItems({ status: 'deleted' })).map(({ item }) => item)).toEqual(['row-50', 'row-51']);
});

test.each(['data.delete', 'points.tag'])('%s whose chunks do not add up to its points is inconclusive at its end', async (use) => {
  const run = world.newRun();
  const points = await run.store.writeIds('points', [['row-1', 'row-2']]);
  const input = use === 'data.delete' ? { dataset: project_id, points } : { map, points, add: 'short' };
  const args = { ...run.argsOf(use, input), state: {}, counts: { done: 1 } };
  await expect(run.attempt(use, 'finish', args)).rejects.toMatchObject({
    type: 'Inconclusive',
    message: expect.stringContaining('2 items were listed, but 1 have ended'),
  });
});

test('a dataset is made once, and found by its slug from then on', async () => {
  const ensure = async () => (await world.newRun().step('dataset.ensure', { slug: 'ensured', idField: 'key' })).output;
  const first = await ensure();
  expect(first).toMatchObject({ slug: 'ensured', created: true, rows: 0, idField: 'key' });
  expect(await ensure()).toEqual({ ...first, created: false });
});

test('a look for a dataset that is refused does not lead to a second one', async () => {
  const ensure = () => world.newRun().step('dataset.ensure', { slug: 'refused' });
  const { id } = (await ensure()).output;
  const { calls } = await world.callsOf(async () => {
    await world.control.fault('maps.projects.bySlug', 1, { status: 403 });
    expect((await ensure()).output).toMatchObject({ id, created: false });
    await world.control.fault('maps.projects.bySlug', 1, { status: 401 });
    await expect(ensure()).rejects.toThrow('maps.projects.bySlug answered 401');
  });
  expect(calls).not.toContain('maps.projects.create');
});

test('an organization that the key does not have is refused by name, and nothing is made', async () => {
  await using other = await createStepWorld([], { organization: 'no-such-organization' });
  const before = (await other.control.journal()).rows.length;
  await expect(other.newRun().step('dataset.ensure', { slug: 'nowhere' })).rejects.toMatchObject({
    type: 'BadInput',
    message: expect.stringContaining("names organization 'no-such-organization', but its key belongs to:"),
  });
  expect((await other.control.journal()).rows).toHaveLength(before);
});
