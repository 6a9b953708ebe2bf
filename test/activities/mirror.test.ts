import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMarks, type Marks } from '../../store/marks.ts';
import { readingsOf, type AssumptionName } from '../../contracts/assumptions/index.ts';
import { createProject } from '../service/world.ts';
import { createStepWorld, type StepOptions, type StepWorld } from './step-world.ts';

let world: StepWorld;
let marks: Marks;
beforeAll(async () => {
  world = await createStepWorld([], { lagMs: 300 });
  marks = createMarks(join(world.dir, '.portolan', 'runs'));
});
afterAll(() => world[Symbol.asyncDispose]());

type Row = { key: string; n: number | string };
const rowsOf = (count: number, from = 0): Row[] => Array.from({ length: count }, (_, at) => ({ key: `k${from + at}`, n: from + at }));

let projects = 0;
/** A dataset of its own, and a mirror of a table in it. */
async function mirrored(at = world) {
  const { project_id } = await createProject(at, `mirror-${(projects += 1)}`, { unique_id_field: 'key' });
  const input = async (rows: readonly Row[], more: object = {}) => ({
    dataset: project_id,
    source: await at.table(rows),
    id: { column: 'key' },
    ...more,
  });
  const held = async (ids: readonly string[]): Promise<Row[]> =>
    (await at.api.post('/v1/project/data/get', { project_id, datum_ids: ids })).body.datums.filter(Boolean);
  return {
    project_id,
    input,
    held,
    count: async (): Promise<number> => (await at.api.get(`/v1/project/${project_id}`)).body.total_datums_in_project,
    mirror: async (rows: readonly Row[], more: object = {}, options: StepOptions = { approved: true }) =>
      (await at.newRun().step('dataset.mirror', await input(rows, more), options)).output,
  };
}

const loose = { deletes: { max: '50%' } };

test('new rows are added, changed ones replaced, and those that are gone deleted: then the dataset has the rows of the source', async () => {
  const { mirror, count, held } = await mirrored();
  expect(await mirror(rowsOf(20))).toMatchObject({ added: 20, replaced: 0, deleted: 0 });
  const next = [...rowsOf(16, 2).map((row) => (row.key === 'k5' ? { ...row, n: -5 } : row)), ...rowsOf(3, 100)];
  expect(await mirror(next, loose)).toMatchObject({ rows: 19, added: 3, present: 15, replaced: 1, deleted: 4 });
  expect(await count()).toBe(19);
  const keys = next.map(({ key }) => key);
  expect((await held(keys)).map(({ key, n }) => [key, n])).toEqual(next.map(({ key, n }) => [key, n]));
  expect(await mirror(next, loose)).toMatchObject({ added: 0, present: 19, replaced: 0, deleted: 0 });
});

test('more rows gone than may be deleted, half a source or an empty one: nothing is sent, and an explicit word lets it pass', async () => {
  const { mirror, count } = await mirrored();
  await mirror(rowsOf(100));
  const { calls } = await world.callsOf(async () => {
    await expect(mirror(rowsOf(97))).rejects.toThrow(
      /3 rows of 100 rows are gone at the source, and at most 2 rows may be deleted.*deletes: \{ max: 3 \}.*Nothing was sent/,
    );
    await expect(mirror([...rowsOf(45), ...rowsOf(2, 500)], { deletes: { max: '90%' } })).rejects.toThrow(
      /less than half of the 100 rows.*belowHalf: allow/,
    );
    const all = { deletes: { max: '100%', belowHalf: 'allow' } };
    await expect(mirror([], all)).rejects.toThrow('has no rows');
    const none = { sql: 'select key, n from t where n < 0', tables: { t: await world.table(rowsOf(100)) } };
    await expect(mirror([], { ...all, source: none })).rejects.toThrow('has no rows');
  });
  expect(calls.filter((operation) => operation === 'maps.data.addArrow' || operation === 'maps.data.delete')).toEqual([]);
  expect(await mirror(rowsOf(98))).toMatchObject({ deleted: 2 });
  expect(await mirror(rowsOf(40), { deletes: { max: 58, belowHalf: 'allow' } })).toMatchObject({ deleted: 58 });
  expect(await count()).toBe(40);
});

test('a deletion is approved, or nothing is sent', async () => {
  const { mirror, count } = await mirrored();
  await mirror(rowsOf(10), {}, {});
  await expect(mirror([...rowsOf(9), ...rowsOf(1, 50)], loose, {})).rejects.toMatchObject({
    type: 'NeedsApproval',
    message: expect.stringContaining('to delete 1 row gone at the source (k9)'),
  });
  expect(await count()).toBe(10);
});

test('rows that the mirror has not put there are not deleted: it refuses, before anything is sent, or leaves them', async () => {
  const { mirror, project_id, input, count } = await mirrored();
  await mirror(rowsOf(10));
  await world.newRun().step('dataset.append', await input(rowsOf(2, 80)));
  const next = [...rowsOf(9), ...rowsOf(3, 50)];
  await expect(mirror(next, loose)).rejects.toMatchObject({
    type: 'BadInput',
    message: expect.stringMatching(/holds 2 rows from elsewhere.*nothing was sent/),
  });
  expect(await count()).toBe(12);
  // One that is in the source is refused together with them, and does not become the mirror's own by it.
  await expect(mirror([...rowsOf(10), ...rowsOf(1, 80)])).rejects.toThrow(/holds 1 row from elsewhere/);
  expect(await mirror(next, { ...loose, others: 'keep' })).toMatchObject({ added: 3, deleted: 1 });
  expect(await count()).toBe(14);
  expect((await world.control.journal(project_id)).summary.repeated).toBe(0);
});

test('a first mirror sends nothing into a dataset of somebody else’s rows, and takes up one whose rows are those of its source', async () => {
  const { mirror, input, count } = await mirrored();
  await world.newRun().step('dataset.append', await input(rowsOf(5)));
  await expect(mirror(rowsOf(10, 3))).rejects.toThrow(/holds 3 rows from elsewhere.*nothing was sent/);
  expect(await count()).toBe(5);
  expect(await mirror(rowsOf(10))).toMatchObject({ added: 5, present: 5 });
});

test('rows that something else has put in the place of others since the mirror has looked are seen before anything is deleted', async () => {
  const { mirror, input, count } = await mirrored();
  await mirror(rowsOf(10));
  const run = world.newRun();
  const args = run.argsOf('dataset.mirror', await input(rowsOf(9), loose), { approved: true });
  const { state } = await run.attempt('dataset.mirror', 'prepare', args);
  await mirror([...rowsOf(9), ...rowsOf(1, 70)], loose);
  const counts = await run.attempt('dataset.mirror', 'main', { ...args, state, chunk: 0 });
  await expect(run.attempt('dataset.mirror', 'finish', { ...args, state, counts })).rejects.toThrow(
    /holds 1 row from elsewhere.*nothing was deleted/,
  );
  expect(await count()).toBe(10);
});

test('a row that its source holds in a form which is refused stays as it is', async () => {
  const { mirror, held } = await mirrored();
  await mirror(rowsOf(10));
  const rows = rowsOf(10).map((row) => (row.key === 'k3' ? { ...row, n: 'three' } : row));
  const options = { approved: true, tolerate: { rejected: { count: 1 } } } as const;
  expect(await mirror(rows, loose, options)).toMatchObject({ rejected: 1, deleted: 0, present: 9 });
  expect(await mirror(rowsOf(10).slice(1), loose)).toMatchObject({ deleted: 1 });
  expect(await held(['k3'])).toMatchObject([{ n: 3 }]);
});

test('a row that was refused for a while stays the mirror’s own: it is deleted when it goes', async () => {
  const { mirror, count } = await mirrored();
  await mirror(rowsOf(10));
  const rows = rowsOf(10).map((row) => (row.key === 'k3' ? { ...row, n: 'three' } : row));
  await mirror(rows, loose, { approved: true, tolerate: { rejected: { count: 1 } } });
  const without = rowsOf(10).filter(({ key }) => key !== 'k3');
  expect(await mirror(without, loose)).toMatchObject({ deleted: 1 });
  expect(await count()).toBe(9);
});

test('rows of a run that was lost are known to the next, which deletes those that have gone meanwhile', async () => {
  const { mirror, input, count, project_id } = await mirrored();
  await mirror(rowsOf(10));
  const run = world.newRun();
  const args = run.argsOf('dataset.mirror', await input([...rowsOf(10), ...rowsOf(4, 50)], loose), { approved: true });
  const { state } = await run.attempt('dataset.mirror', 'prepare', args);
  await run.attempt('dataset.mirror', 'main', { ...args, state, chunk: 0 });
  expect(await count()).toBe(14);
  expect(await mirror(rowsOf(10), loose)).toMatchObject({ present: 10, deleted: 4 });
  expect(await count()).toBe(10);
  // The run that was lost wakes up: what it had read is old.
  await expect(run.attempt('dataset.mirror', 'finish', { ...args, state, counts: { added: 4, present: 10 } })).rejects.toThrow(
    'Something else wrote',
  );
  const owner = { pipeline: 'test', step: 'dataset-mirror', connection: 'here', dataset: project_id, source: '' };
  expect((await marks.newest(owner))?.to).toEqual({ kind: 'rows', value: '10' });
});

test('a mirror that adds and deletes rows in one run knows afterwards those that are there, and no others', async () => {
  const { mirror, project_id } = await mirrored();
  await mirror(rowsOf(10));
  expect(await mirror([...rowsOf(9), ...rowsOf(1, 50)], loose)).toMatchObject({ added: 1, deleted: 1 });
  const owner = { pipeline: 'test', step: 'dataset-mirror', connection: 'here', dataset: project_id, source: '' };
  expect((await marks.newest(owner))?.to).toEqual({ kind: 'rows', value: '10' });
});

test('rows that a run was to send and never did are not gone, and make nothing look like half a source', async () => {
  const { mirror, input, count } = await mirrored();
  await mirror(rowsOf(10));
  const wrong = world.newRun();
  const args = wrong.argsOf('dataset.mirror', await input([...rowsOf(10), ...rowsOf(40, 50)]), { approved: true });
  await wrong.attempt('dataset.mirror', 'prepare', args);
  // One row is gone, of ten and not of fifty: without a cap such a share would be refused.
  expect(await mirror(rowsOf(9), loose)).toMatchObject({ present: 9, deleted: 1 });
  expect(await count()).toBe(9);
});

test.each([
  ['an addition', 'maps.data.addArrow'],
  ['a deletion', 'maps.data.delete'],
  ['the update', 'maps.indices.update'],
] as const)('a run that ends at %s has lost no row, and the next one ends it', async (_, operation) => {
  const { mirror, count, held } = await mirrored();
  await mirror(rowsOf(10));
  const next = [...rowsOf(7).map((row) => (row.key === 'k2' ? { ...row, n: 22 } : row)), ...rowsOf(2, 50)];
  await world.control.fault(operation, 1, { status: 400 });
  await expect(mirror(next, loose)).rejects.toThrow(`${operation} answered 400`);
  expect(await mirror(next, loose)).toMatchObject({ rows: 9 });
  expect(await count()).toBe(9);
  expect((await held(next.map(({ key }) => key))).map(({ n }) => n)).toEqual(next.map(({ n }) => n));
});

const bearing = ['known-ids', 'readded-id', 'unknown-deletion', 'deletion-version', 'unknown-datum', 'counts', 'update-start'] as const;

test.each(bearing.flatMap((name: AssumptionName) => readingsOf(name).map((reading) => [name, reading] as const)))(
  'where %s is read as %s the dataset ends with the rows of the source too',
  async (name, reading) => {
    // Longer than an update that begins late waits here.
    await using late = await createStepWorld([], { lagMs: 1_500 });
    await late.control.assume({ [name]: reading });
    const { mirror, count, held } = await mirrored(late);
    await mirror(rowsOf(10));
    const next = [...rowsOf(7).map((row) => (row.key === 'k2' ? { ...row, n: 22 } : row)), ...rowsOf(2, 50)];
    expect(await mirror(next, loose)).toMatchObject({ added: 2, replaced: 1, deleted: 3 });
    await late.control.assume();
    expect(await count()).toBe(9);
    expect((await held(next.map(({ key }) => key))).map(({ n }) => n)).toEqual(next.map(({ n }) => n));
  },
);
