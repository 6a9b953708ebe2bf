import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbeddingEndpoint } from '../service/embedding-endpoint.ts';
import { addRows, createProject } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

let projects = 0;
/** A dataset of 40 rows with a map, and what is done to it. */
async function mapped(of = world) {
  const { project_id: dataset } = await createProject(of, `follow-${(projects += 1)}`);
  await addRows(of.api, dataset, 40);
  const step = async (use: string, more: object = {}) => (await of.newRun().step(use, { dataset, ...more }, { approved: true })).output;
  await step('index.build', { embed: 'text' });
  return {
    dataset,
    build: (more: object = {}) => step('index.build', { embed: 'text', ...more }),
    update: () => step('index.update'),
    more: () => addRows(of.api, dataset, 3, { from: 100 }),
    async remove(...ids: string[]) {
      const run = of.newRun();
      await run.step('data.delete', { dataset, points: await run.store.writeIds('points', [ids]) }, { approved: true });
    },
  };
}

/** An order that the service acknowledges and does not carry out, and the first look at it. */
async function acknowledgedInVain(of: StepWorld) {
  const { dataset, more } = await mapped(of);
  await more();
  const run = of.newRun();
  const args = run.argsOf('index.update', { dataset });
  await of.control.fault('maps.indices.update', 1, { status: 200 });
  const { token } = await run.attempt('index.update', 'main', args);
  const look = () => run.attempt('index.update', 'check', { ...args, token });
  const { calls } = await of.callsOf(() => expect(look()).rejects.toMatchObject({ type: 'NotYet' }));
  return { calls, look };
}

test('an update has ended when all maps hold the data, whatever was acknowledged: one that nothing came of is ordered again', async () => {
  const { calls, look } = await acknowledgedInVain(world);
  expect(calls).toContain('maps.indices.update');
  await expect.poll(() => look().catch(() => undefined)).toMatchObject({ output: { updated: true, rows: 43 } });
});

test('it is not ordered again while the order can still land', async () => {
  await using slow = await createStepWorld([], { settleMs: 600_000 });
  const { calls } = await acknowledgedInVain(slow);
  expect(calls).not.toContain('maps.indices.update');
});

test('an update that a map could not be brought up by fails its step; a map that could not be built before does not', async () => {
  await using endpoint = await startEmbeddingEndpoint();
  await using failing = await createStepWorld([], {}, undefined, { embedding: endpoint.embedding });
  const { update, more, build } = await mapped(failing);
  await build({ embed: undefined });
  await more();
  endpoint.refuse();
  await expect(update()).rejects.toMatchObject({
    type: 'ServiceFailed',
    nonRetryable: true,
    message: expect.stringMatching(/could not update map .*refused/),
  });
  expect(await update()).toMatchObject({ updated: true, rows: 43 });
});

test('rows that were deleted leave the map with the next build, though the service reports no change', async () => {
  await world.control.assume({ 'deletion-version': 'never' });
  const { build, remove } = await mapped();
  await remove('row-3', 'row-4');
  expect(await build()).toMatchObject({ built: false, updated: true, points: 38 });
  const first = await build({ onChange: 'rebuild' });
  expect(await build({ onChange: 'rebuild' })).toMatchObject({ id: first.id, built: false });
  await remove('row-5');
  expect(await build({ onChange: 'rebuild' })).toMatchObject({ built: true, points: 37 });
  await world.control.assume();
});
