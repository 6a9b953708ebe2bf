import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRows, createProject } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

let projects = 0;
/** A dataset of 40 rows, and the step on it. */
async function dataset() {
  const { project_id } = await createProject(world, `maps-${(projects += 1)}`);
  await addRows(world.api, project_id, 40);
  return {
    project_id,
    build: async (more: object = {}) => (await world.newRun().step('index.build', { dataset: project_id, embed: 'text', ...more })).output,
    update: async () => (await world.newRun().step('index.update', { dataset: project_id })).output,
    more: () => addRows(world.api, project_id, 3, { from: 100 }),
    indices: async (): Promise<{ id: string }[]> => (await world.api.get(`/v1/project/${project_id}`)).body.atlas_indices,
  };
}

test('the same map is not built twice; another model, column or name is another map', async () => {
  const { build, indices } = await dataset();
  const first = await build();
  expect(first).toMatchObject({ built: true, updated: false, points: 40 });
  expect(await build()).toMatchObject({ id: first.id, built: false, updated: false });
  for (const other of [{ model: 'svc-embed-text-v1.5' }, { embed: undefined }, { name: 'another' }])
    expect(await build(other)).toMatchObject({ built: true });
  expect(await indices()).toHaveLength(4);
});

test('a map has topics where a column names them, and is another one than without; without vectors there are none', async () => {
  const { build, project_id } = await dataset();
  const plain = await build();
  const topical = await build({ topics: 'text' });
  expect([topical.built, topical.id === plain.id]).toEqual([true, false]);
  expect(await build({ topics: 'text' })).toMatchObject({ id: topical.id, built: false });
  const topicsOf = async (map: unknown): Promise<unknown[]> =>
    (await world.api.get(`/v1/project/${project_id}/index/projection/${String(map)}`)).body.topic_models;
  expect([(await topicsOf(plain.id)).length, (await topicsOf(topical.id)).length]).toEqual([0, 1]);
  await expect(build({ topics: 'absent' })).rejects.toThrow("topics: 'absent' is not a column");
  await expect(build({ embed: undefined, topics: 'text' })).rejects.toThrow('topics are found among vectors');
});

test('changed data: the map is updated, or another one is built', async () => {
  const { build, indices, more } = await dataset();
  const first = await build();
  const version = await build({ onChange: 'rebuild' });
  await more();
  expect(await build()).toMatchObject({ id: first.id, built: false, updated: true, points: 43 });
  expect(await build()).toMatchObject({ id: first.id, built: false, updated: false });
  const rebuilt = await build({ onChange: 'rebuild' });
  expect(rebuilt).toMatchObject({ built: true, points: 43 });
  expect(rebuilt.id).not.toBe(version.id);
  expect(await indices()).toHaveLength(3);
});

test('an update brings every map up to its data; a build that finds its map as it should be sends none', async () => {
  const { build, update, more } = await dataset();
  await build();
  await more();
  expect(await update()).toMatchObject({ updated: true, rows: 43 });
  const { value, calls } = await world.callsOf(() => build());
  expect(value).toMatchObject({ built: false, updated: false, points: 43 });
  expect(calls).not.toContain('maps.indices.update');
});

test('a lost answer of the creation is looked up, and one map is made', async () => {
  const { build, indices, project_id } = await dataset();
  await world.control.fault('maps.indices.create', 1, { lose: 'answer' });
  await build();
  expect(await indices()).toHaveLength(1);
  expect((await world.control.journal(project_id)).summary.repeated).toBe(0);
});

test('a model goes out by the name that the connection has for it, and a build that fails at the service fails the step', async () => {
  await using named = await createStepWorld([], { names: { 'svc-embed-text-v1.5': 'no-such-model' } });
  await named.control.assume({ 'model-check': 'at-build' });
  const { project_id } = await createProject(named, 'named');
  await addRows(named.api, project_id, 40);
  const build = (model: string) => named.newRun().step('index.build', { dataset: project_id, embed: 'text', model });
  await expect(build('svc-embed-text-v1.5')).rejects.toMatchObject({
    type: 'ServiceFailed',
    nonRetryable: true,
    message: expect.stringContaining('could not build the map'),
  });
  expect((await build('svc-embed-text-v1')).output).toMatchObject({ built: true });
});

test('the map that an attempt has begun to build is the step’s own, also for the attempt that follows it', async () => {
  const { project_id, indices } = await dataset();
  const run = world.newRun();
  const args = run.argsOf('index.build', { dataset: project_id, embed: 'text' });
  await run.attempt('index.build', 'main', args, 1);
  const { token } = await run.attempt('index.build', 'main', args, 2);
  expect(token).toMatchObject({ built: true });
  expect(await indices()).toHaveLength(1);
});

test('a column that the dataset does not have is refused by name', async () => {
  const { build } = await dataset();
  await expect(build({ embed: 'txt' })).rejects.toThrow("'txt' is not a column of");
});
