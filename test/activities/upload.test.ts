import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { addRows, createProject } from '../service/world.ts';
import { finished } from './finished.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  // The service counts at once: what is not right at the first look never will be.
  world = await createStepWorld([], { lagMs: 300 });
});
afterAll(() => world[Symbol.asyncDispose]());

type Row = { key: string; n: number };
const rowsOf = (count: number, from = 0): Row[] => Array.from({ length: count }, (_, at) => ({ key: `k${from + at}`, n: from + at }));

let projects = 0;
const newDataset = async (): Promise<string> =>
  (await createProject(world, `up-${(projects += 1)}`, { unique_id_field: 'key' })).project_id;

test('the ledger says of the rows what is known of them: all new, all there, or sent into a dataset with rows', async () => {
  const dataset = await newDataset();
  const upload = async (rows: Row[]) => {
    const run = world.newRun();
    const { output } = await run.step('dataset.upload', { dataset, source: await world.table(rows), id: { column: 'key' } });
    return { output, statuses: (await run.store.countItems()).map(({ status, count }) => [status, count]) };
  };
  expect(await upload(rowsOf(6))).toMatchObject({ output: { added: 6, present: 0 }, statuses: [['added', 6]] });
  expect(await upload(rowsOf(6))).toMatchObject({ output: { added: 0, present: 6 }, statuses: [['present', 6]] });
  expect(await upload(rowsOf(8))).toMatchObject({ output: { added: 2, present: 6 }, statuses: [['uploaded', 8]] });
});

test('rows that come again before their deletion is committed are refused by name, unless the service is known to keep them', async () => {
  const deleted = async (at: StepWorld, slug: string) => {
    const { project_id: dataset } = await createProject(at, slug, { unique_id_field: 'key' });
    const upload = async (rows: Row[]): Promise<{ added: number }> =>
      (await at.newRun().step('dataset.upload', { dataset, source: await at.table(rows), id: { column: 'key' } })).output;
    await upload(rowsOf(6));
    const run = at.newRun();
    await run.step('data.delete', { dataset, points: await run.store.writeIds('old', [['k1', 'k2']]) }, { approved: true });
    return { dataset, upload };
  };
  const { dataset, upload } = await deleted(world, 'deleted');
  expect(await upload(rowsOf(3, 10))).toMatchObject({ added: 3 });
  await expect(upload(rowsOf(6))).rejects.toMatchObject({
    type: 'ReadingUnknown',
    message: expect.stringMatching(/shows id "k\d" of the file.* index\.update/),
  });
  await world.newRun().step('index.update', { dataset });
  await upload(rowsOf(6));
  const { body } = await world.api.post('/v1/project/data/get', { project_id: dataset, datum_ids: ['k1', 'k2'] });
  expect(body.datums).toHaveLength(2);

  await using known = await createStepWorld([], { lagMs: 300, readings: { 'readded-id': 'replaces' } });
  expect(await (await deleted(known, 'known')).upload(rowsOf(6))).toMatchObject({ added: 0 });
});

test('where the service replaces known rows or refuses them, an upload with other rows is refused by name, and one with the same is not', async () => {
  const dataset = await newDataset();
  const upload = async (at: StepWorld, rows: Row[]) =>
    (await at.newRun().step('dataset.upload', { dataset, source: await world.table(rows), id: { column: 'key' } })).output;
  const held = async (): Promise<Row[]> =>
    (await world.api.post('/v1/project/data/get', { project_id: dataset, datum_ids: ['k0', 'k1'] })).body.datums;
  const other = [{ key: 'k1', n: 100 }, ...rowsOf(3, 10)];
  await upload(world, rowsOf(6));
  for (const reading of ['skipped', 'replaced'] as const) {
    await world.control.assume({ 'known-ids': reading });
    await expect(upload(world, other)).rejects.toMatchObject({
      type: 'ReadingUnknown',
      message: expect.stringMatching(/another row under id "k1" of the file.* dataset\.append/),
    });
    expect(await held()).toMatchObject([{ n: 0 }, { n: 1 }]);
  }
  expect(await upload(world, rowsOf(7))).toMatchObject({ added: 1, present: 6 });
  await world.control.assume({ 'known-ids': 'refused' });
  await expect(upload(world, rowsOf(9))).rejects.toMatchObject({
    type: 'NotOffered',
    message: expect.stringMatching(/it has "k\d" .*ID conflict.* dataset\.append/),
  });
  expect(await upload(world, rowsOf(2, 20))).toMatchObject({ added: 2 });
  await world.control.assume();
});

test('a service that is known to keep its rows is not asked for them', async () => {
  await using known = await createStepWorld([], { lagMs: 300, readings: { 'known-ids': 'skipped' } });
  const { project_id: dataset } = await createProject(known, 'kept', { unique_id_field: 'key' });
  const upload = async (rows: Row[]) =>
    known.newRun().step('dataset.upload', { dataset, source: await known.table(rows), id: { column: 'key' } });
  await upload(rowsOf(6));
  const { value, calls } = await known.callsOf(() => upload([{ key: 'k1', n: 100 }, ...rowsOf(3, 10)]));
  expect([value.output, calls.includes('maps.data.get')]).toMatchObject([{ added: 3, present: 1 }, false]);
});

test('rows whose count is late are added, and a file that was taken and not read is told', async () => {
  await using late = await createStepWorld([], { lagMs: 2_000 });
  const { project_id } = await createProject(late, 'late', { unique_id_field: 'key' });
  const upload = async (rows: object[]) =>
    (await late.newRun().step('dataset.upload', { dataset: project_id, source: await late.table(rows), id: { column: 'key' } })).output;
  await late.control.assume({ counts: 'late' });
  expect(await upload(rowsOf(6))).toMatchObject({ added: 6, present: 0 });
  expect(await upload(rowsOf(9))).toMatchObject({ added: 3, present: 6 });
  await late.control.assume({ completion: 'after' });
  expect(await upload(rowsOf(11))).toMatchObject({ added: 2, present: 9 });
  await late.control.assume({ completion: 'after', 'id-length': 'bytes' });
  await expect(upload([{ key: '\u{1F44D}'.repeat(12), n: 1 }])).rejects.toMatchObject({
    type: 'Inconclusive',
    message: expect.stringContaining('none of id'),
  });
  expect(await upload(rowsOf(11))).toMatchObject({ added: 0, present: 11 });
});

/** However slow the machine is, what was written just before stays so. */
function standStill(): void {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('rows that another wrote just before, and that are not counted yet, are none of those added', async () => {
  await using late = await createStepWorld([], { lagMs: 300, readings: { 'known-ids': 'skipped' } });
  const { project_id } = await createProject(late, 'late', { unique_id_field: 'id' });
  const { api, control } = late;
  const read = async (): Promise<number> => (await api.get(`/v1/project/${project_id}`)).body.total_datums_in_project;
  await addRows(api, project_id, 6);
  await control.assume({ counts: 'late' });
  await expect.poll(read).toBe(6);
  await addRows(api, project_id, 10);
  standStill();
  const rows = Array.from({ length: 12 }, (_, at) => ({ id: `row-${at}`, text: 'x', year: 1, score: 1, when: '2024-01-01T00:00:00Z' }));
  const upload = { dataset: project_id, source: await late.table(rows), id: { column: 'id' } };
  expect((await late.newRun().step('dataset.upload', upload)).output).toMatchObject({ added: 2, present: 10 });
});

test('a dataset whose rows are not counted yet is not taken for a new one', async () => {
  await using late = await createStepWorld([], { lagMs: 300 });
  const { project_id } = await createProject(late, 'late', { unique_id_field: 'id' });
  await late.control.assume({ counts: 'late' });
  await addRows(late.api, project_id, 6);
  standStill();
  const rows = Array.from({ length: 6 }, (_, at) => ({ id: `row-${at}`, text: 'x', year: 1, score: 1, when: '2024-01-01T00:00:00Z' }));
  const append = { dataset: project_id, source: await late.table(rows), id: { column: 'id' } };
  // It holds other rows under their ids: none of these is added, and none is reported as added.
  expect((await late.newRun().step('dataset.append', append)).output).toMatchObject({ added: 0, changed: 6 });
});

test('a plan of part URLs holds for its file alone: another file begins another upload', async () => {
  const dataset = await newDataset();
  const source = await world.table(rowsOf(5));
  const run = world.newRun();
  const args = run.argsOf('dataset.upload', { dataset, source, id: { column: 'key' } });
  const starts = async () =>
    (await world.callsOf(() => run.attempt('dataset.upload', 'prepare', args))).calls.filter((each) => each === 'maps.uploads.start');
  expect(await starts()).toHaveLength(1);
  expect(await starts()).toHaveLength(0);
  await writeFile(source, JSON.stringify(rowsOf(7)));
  expect(await starts()).toHaveLength(1);
  const { output } = await run.step('dataset.upload', args.input);
  expect(output).toMatchObject({ rows: 7, added: 7 });
});

test('a lost answer of the completion is looked up, and the rows are there once', async () => {
  const dataset = await newDataset();
  await world.control.fault('maps.uploads.complete', 1, { lose: 'answer' });
  const { output } = await world.newRun().step('dataset.upload', { dataset, source: await world.table(rowsOf(9)), id: { column: 'key' } });
  expect(output).toMatchObject({ added: 9, present: 0 });
  expect((await world.control.journal(dataset)).summary.repeated).toBe(0);
});

test('an upload that an attempt before has ended, and that is gone from the service then, has added the rows that were not there', async () => {
  const dataset = await newDataset();
  // Some are there before: what the dataset counts proves nothing.
  await world.newRun().step('dataset.append', { dataset, source: await world.table(rowsOf(5)), id: { column: 'key' } });
  const run = world.newRun();
  const args = run.argsOf('dataset.upload', { dataset, source: await world.table(rowsOf(20)), id: { column: 'key' } });
  const { state } = await run.attempt('dataset.upload', 'prepare', args);
  await run.attempt('dataset.upload', 'main', { ...args, state, chunk: 0 });
  const { id } = await world.control.fault('maps.uploads.complete', 1, { hold: 'after' });
  await world.control.fault('maps.uploads.complete', 2, { status: 404 });
  const lost = run.attempt('dataset.upload', 'finish', { ...args, state, counts: {} }).catch((error: Error) => error);
  await world.control.held(id);
  const ended = finished(() => run.attempt('dataset.upload', 'finish', { ...args, state, counts: {} }, 2));
  expect(await ended).toMatchObject({ rows: 20, added: 15, present: 5 });
  await world.control.release(id);
  await lost;
});

test('rows that something else added to an empty dataset are noticed', async () => {
  const dataset = await newDataset();
  const run = world.newRun();
  const args = run.argsOf('dataset.upload', { dataset, source: await world.table(rowsOf(5)), id: { column: 'key' } });
  const { state } = await run.attempt('dataset.upload', 'prepare', args);
  await run.attempt('dataset.upload', 'main', { ...args, state, chunk: 0 });
  await world.newRun().step('dataset.append', { dataset, source: await world.table(rowsOf(2, 50)), id: { column: 'key' } });
  await expect(run.attempt('dataset.upload', 'finish', { ...args, state, counts: {} })).rejects.toThrow(
    'Something else wrote to the dataset',
  );
});

/** Ends an upload of so many rows, with something done to the dataset between its end at the service and the count. */
async function endedAmid(dataset: string, count: number, act: () => Promise<unknown>): Promise<unknown> {
  const run = world.newRun();
  const args = run.argsOf('dataset.upload', { dataset, source: await world.table(rowsOf(count)), id: { column: 'key' } });
  const { state } = await run.attempt('dataset.upload', 'prepare', args);
  await run.attempt('dataset.upload', 'main', { ...args, state, chunk: 0 });
  const { id } = await world.control.fault('maps.uploads.complete', 1, { hold: 'after' });
  const ending = run.attempt('dataset.upload', 'finish', { ...args, state, counts: {} }).then(
    () => 'ended well',
    (error: Error) => error.message,
  );
  await world.control.held(id);
  await act();
  await world.control.release(id);
  return ending;
}

const removed =
  (dataset: string, ...ids: string[]) =>
  async (): Promise<void> => {
    await world.api.post('/v1/project/data/delete', { project_id: dataset, datum_ids: ids });
    await world.api.post('/v1/project/update_indices', { project_id: dataset });
  };

test('rows that were lost are noticed: of an upload into an empty dataset each one, of another those below what was there', async () => {
  const dataset = await newDataset();
  expect(await endedAmid(dataset, 5, removed(dataset, 'k3'))).toMatch('counts 4 rows; 0 before and 5 sent make 5');
  expect(await endedAmid(dataset, 5, removed(dataset, 'k1', 'k2', 'k3'))).toMatch('counts 2 rows; 4 before and 5 sent make 4 to 9');
});

test('rows that something else added to a dataset with rows are noticed where they are more than were sent', async () => {
  const dataset = await newDataset();
  await world.newRun().step('dataset.append', { dataset, source: await world.table(rowsOf(2, 50)), id: { column: 'key' } });
  const more = async () =>
    world.newRun().step('dataset.append', { dataset, source: await world.table(rowsOf(4, 60)), id: { column: 'key' } });
  expect(await endedAmid(dataset, 3, more)).toMatch('counts 9 rows; 2 before and 3 sent make 2 to 5');
});
