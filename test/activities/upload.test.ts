import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld();
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
