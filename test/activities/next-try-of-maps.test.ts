import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbeddingEndpoint } from '../service/embedding-endpoint.ts';
import { addRows, createProject } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let endpoint: Awaited<ReturnType<typeof startEmbeddingEndpoint>>;
let world: StepWorld;
beforeAll(async () => {
  endpoint = await startEmbeddingEndpoint();
  world = await createStepWorld([], {}, undefined, { embedding: endpoint.embedding });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await endpoint[Symbol.asyncDispose]();
});

let projects = 0;
const dataset = async (): Promise<string> => {
  const { project_id } = await createProject(world, `tries-${(projects += 1)}`);
  await addRows(world.api, project_id, 40);
  return project_id;
};

/** The tries of one step, as a run makes them that `onError` lets try again. */
function triesOf(use: string, input: object) {
  const run = world.newRun();
  return async (retry: number): Promise<unknown> => (await run.step(use, input, { retry })).output;
}

const failed = { type: 'ServiceFailed' };
const ordersOf = (calls: readonly string[]): string[] =>
  calls.filter((call) => ['maps.indices.create', 'maps.indices.update'].includes(call));

test('a next try of index.build orders again what failed at the service, and what it has built is its own', async () => {
  const id = await dataset();
  const tryOnce = triesOf('index.build', { dataset: id, embed: 'text' });
  const { calls } = await world.callsOf(async () => {
    endpoint.refuse();
    await expect(tryOnce(0)).rejects.toMatchObject(failed);
    // Attempts of the same try find what they have ordered.
    await expect(tryOnce(0)).rejects.toMatchObject(failed);
    await expect(tryOnce(1)).rejects.toMatchObject(failed);
    endpoint.accept();
    expect(await tryOnce(2)).toMatchObject({ built: true, points: 40 });
  });
  expect(ordersOf(calls)).toEqual(['maps.indices.create', 'maps.indices.update', 'maps.indices.update']);
  expect((await world.api.get(`/v1/project/${id}`)).body.atlas_indices).toHaveLength(1);
});

test('a next try of index.update orders again what failed at the service, and fails where it fails again', async () => {
  const id = await dataset();
  await world.newRun().step('index.build', { dataset: id, embed: 'text' });
  await addRows(world.api, id, 3, { from: 100 });
  const tryOnce = triesOf('index.update', { dataset: id });
  const { calls } = await world.callsOf(async () => {
    endpoint.refuse();
    for (const retry of [0, 1]) await expect(tryOnce(retry)).rejects.toMatchObject(failed);
    endpoint.accept();
    expect(await tryOnce(2)).toMatchObject({ updated: true, rows: 43 });
  });
  expect(ordersOf(calls)).toEqual(['maps.indices.update', 'maps.indices.update', 'maps.indices.update']);
});
