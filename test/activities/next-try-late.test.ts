import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UpdateOrder } from '../../activities/index/order-update.ts';
import { startEmbeddingEndpoint } from '../service/embedding-endpoint.ts';
import { createProject } from '../service/world.ts';
import { createStepWorld, type StepOptions, type StepWorld } from './step-world.ts';

let endpoint: Awaited<ReturnType<typeof startEmbeddingEndpoint>>;
let world: StepWorld;
beforeAll(async () => {
  endpoint = await startEmbeddingEndpoint();
  // An order may begin as late as a minute after its answer; here it does after less than a second.
  world = await createStepWorld([], { settleMs: 60_000, readings: { 'update-start': 'late' } }, undefined, {
    embedding: endpoint.embedding,
  });
  await world.control.assume({ 'update-start': 'late' });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await endpoint[Symbol.asyncDispose]();
});

const failed = { type: 'ServiceFailed', message: expect.stringMatching(/could not update map .*refused/) };

type Row = { key: string; text: string };
const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, at) => ({ key: `k${at}`, text: `a text of number ${at}` }));

/** Appends rows to one dataset. */
async function feed(name: string, onChange = 'report') {
  const { project_id: dataset } = await createProject(world, name, { unique_id_field: 'key' });
  const append = async (rows: readonly Row[], run = world.newRun(), source?: string, options: StepOptions = {}) => {
    const input = { dataset, source: source ?? (await world.table(rows)), id: { column: 'key' }, onChange };
    return (await run.step('dataset.append', input, { approved: true, ...options })).output;
  };
  await append(rowsOf(30));
  await world.newRun().step('index.build', { dataset, embed: 'text' });
  return { dataset, append };
}

/** A dataset with rows that its map lacks, and the tries of one step that updates it. */
async function outdated(name: string) {
  const { dataset, append } = await feed(name);
  await append(rowsOf(33));
  const { step, store } = world.newRun();
  const tryOnce = async (retry: number): Promise<unknown> => (await step('index.update', { dataset }, { retry })).output;
  return { store, tryOnce };
}

test('a next try of index.update waits until its own order has begun, before it goes by what the one before had met', async () => {
  const { tryOnce } = await outdated('late-update');
  endpoint.refuse();
  await expect(tryOnce(0)).rejects.toMatchObject(failed);
  endpoint.accept();
  expect(await tryOnce(1)).toMatchObject({ updated: true, rows: 33 });
});

test('an order that an earlier attempt kept and did not send may begin as late after its answer as any other', async () => {
  const { store, tryOnce } = await outdated('kept-update');
  endpoint.refuse();
  const failure = (await tryOnce(0).catch((error: unknown) => error)) as Error;
  const [, map, error] = /could not update map (\S+): ([^]*)$/.exec(failure.message)!;
  endpoint.accept();
  const first = (await store.readJson<UpdateOrder>('updates/index-update/update.json'))!;
  const long: UpdateOrder = { ...first, purpose: 'update-1', at: 0, standing: { [map!]: error! } };
  await store.writeJson('updates/index-update/update-1.json', long);
  expect(await tryOnce(1)).toMatchObject({ updated: true, rows: 33 });
});

test('a next try of dataset.append orders its update again, and loses no row that the one before had deleted', async () => {
  const { dataset, append } = await feed('late-replace', 'replace');
  const refused = async (rows: readonly Row[]) => {
    const run = world.newRun();
    const source = await world.table(rows);
    endpoint.refuse();
    await expect(append(rows, run, source)).rejects.toMatchObject(failed);
    endpoint.accept();
    return append(rows, run, source, { retry: 1 });
  };
  const rows = (count: number): Row[] => rowsOf(count).map((row, at) => (at < 2 ? { ...row, text: `${row.text} of ${count}` } : row));
  // Before its first deletion a run tries whether the service offers updates: nothing is deleted where that one fails.
  await append(rowsOf(33).slice(-3));
  expect(await refused(rows(33))).toMatchObject({ added: 0, present: 31, replaced: 2 });
  // Where it is the one behind the deletions, they are committed and the rows are gone.
  await append(rowsOf(36).slice(-3));
  expect(await refused(rows(36))).toMatchObject({ added: 2, present: 34, replaced: 0 });
  await world.newRun().step('index.update', { dataset });
  expect(await append(rows(36))).toMatchObject({ added: 0, present: 36, replaced: 0 });
});
