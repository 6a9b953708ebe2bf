import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld([], { lagMs: 300 });
});
afterAll(() => world[Symbol.asyncDispose]());

let projects = 0;
async function dataset() {
  const { project_id } = await createProject(world, `drift-${(projects += 1)}`, { unique_id_field: 'key' });
  const append = async (row: object, drift?: string) => {
    const run = world.newRun();
    const input = { dataset: project_id, source: await world.table([row]), id: { column: 'key' }, ...(drift ? { drift } : {}) };
    const { output } = await run.step('dataset.append', input);
    return { output, notes: (await run.store.events()).filter(({ kind }) => kind === 'note').map(({ cause }) => cause) };
  };
  await append({ key: 'a', n: 1, word: 'one' });
  const held = async (id: string) => (await world.api.post('/v1/project/data/get', { project_id, datum_ids: [id] })).body.datums[0];
  return { append, held };
}

test('columns that are new or gone are refused before anything is sent, or left out and without a value', async () => {
  const { append, held } = await dataset();
  const rows = { added: { key: 'b', n: 2, word: 'two', colour: 'red' }, gone: { key: 'c', word: 'three' } };
  const { calls } = await world.callsOf(async () => {
    await expect(append(rows.added, 'fail')).rejects.toThrow(/column colour of the source is not in the dataset.*drift: ignore/);
    for (const drift of ['fail', undefined])
      await expect(append(rows.gone, drift)).rejects.toThrow(/column n \(int32\) of the dataset is missing.*drift: ignore/);
  });
  expect(calls).not.toContain('maps.data.addArrow');
  expect((await append({ key: 'd', n: 4, word: 'four' }, 'fail')).output).toMatchObject({ added: 1 });
  const loose = { ...rows.added, key: 'e' };
  expect(await append(loose, 'ignore')).toMatchObject({
    output: { added: 1 },
    notes: ['left out, for the dataset has no such column: colour'],
  });
  expect(await append(rows.gone, 'ignore')).toMatchObject({
    output: { added: 1 },
    notes: ['without a value, for the source has no such column: n'],
  });
  expect(await held('c')).toMatchObject({ word: 'three', n: null });
});

test('a load that goes as one file keeps the same rules', async () => {
  // So few rows in a call that a table of 21 goes as a file, into a dataset that has had rows.
  await using small = await createStepWorld([], { lagMs: 300, batch: { rows: 1 } });
  const { project_id: dataset } = await createProject(small, 'drift-file', { unique_id_field: 'key' });
  const load = async (rows: object[], drift?: string) => {
    const run = small.newRun();
    const input = { dataset, source: await small.table(rows), id: { column: 'key' }, ...(drift ? { drift } : {}) };
    const { output } = await run.step('dataset.load', input);
    return { output, notes: (await run.store.events()).filter(({ kind }) => kind === 'note').map(({ cause }) => cause) };
  };
  await load([{ key: 'a', n: 1, word: 'one' }]);
  const empty = async (keys: string[]): Promise<void> => {
    const run = small.newRun();
    await run.step('data.delete', { dataset, points: await run.store.writeIds('old', [keys]) }, { approved: true });
    await run.step('index.update', { dataset });
  };
  await empty(['a']);
  const table = (row: (at: number) => object): object[] => Array.from({ length: 21 }, (_, at) => ({ key: `k${at}`, ...row(at) }));
  const added = table((n) => ({ n, word: 'more', colour: 'red' }));
  const gone = table(() => ({ word: 'less' }));
  const { calls } = await small.callsOf(async () => {
    await expect(load(added, 'fail')).rejects.toThrow(/column colour of the source is not in the dataset.*drift: ignore/);
    for (const drift of ['fail', undefined])
      await expect(load(gone, drift)).rejects.toThrow(/column n \(int32\) of the dataset is missing.*drift: ignore/);
  });
  expect(calls).not.toContain('maps.uploads.start');
  expect(await load(added)).toMatchObject({
    output: { way: 'upload', added: 21 },
    notes: expect.arrayContaining(['left out, for the dataset has no such column: colour']),
  });
  await empty(added.map((_, at) => `k${at}`));
  expect(await load(gone, 'ignore')).toMatchObject({
    output: { way: 'upload', added: 21 },
    notes: expect.arrayContaining(['without a value, for the source has no such column: n']),
  });
});
