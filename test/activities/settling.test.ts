import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRows, createProject } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

// A request may land for longer than any test takes: what waits for it does not end.
const tuning = { settleMs: 600_000 };
let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld([], tuning);
});
afterAll(() => world[Symbol.asyncDispose]());

let projects = 0;
/** A dataset of 40 rows with its map. */
async function mapped(of = world) {
  const { project_id: dataset } = await createProject(of, `settling-${(projects += 1)}`);
  await addRows(of.api, dataset, 40);
  await of.newRun().step('index.build', { dataset, embed: 'text' });
  return dataset;
}

test('an update that has nothing to do ends when its order is answered', async () => {
  const dataset = await mapped();
  const { output, attempts } = await world.newRun().step('index.update', { dataset });
  expect(output).toMatchObject({ updated: false, rows: 40 });
  expect(attempts).toBe(2);
});

test('where the connection says that updates begin late, it is given the time', async () => {
  await using late = await createStepWorld([], { ...tuning, readings: { 'update-start': 'late' } });
  const dataset = await mapped(late);
  const run = late.newRun();
  const args = run.argsOf('index.update', { dataset });
  const { token } = await run.attempt('index.update', 'main', args);
  await expect(run.attempt('index.update', 'check', { ...args, token })).rejects.toMatchObject({ type: 'NotYet' });
});

test('a locked dataset is waited for: its refusal says that nothing happened, so that nothing is looked up', async () => {
  const { project_id: dataset } = await createProject(world, `settling-${(projects += 1)}`);
  await addRows(world.api, dataset, 40);
  await world.control.fault('maps.indices.create', 1, { status: 409, detail: 'Project transaction lock is held' });
  const { output } = await world.newRun().step('index.build', { dataset, embed: 'text' });
  expect(output).toMatchObject({ built: true });
});

test('an order outlives the attempt that sent it: the next one knows what was there before', async () => {
  const dataset = await mapped();
  await addRows(world.api, dataset, 3, { from: 100 });
  const run = world.newRun();
  const args = run.argsOf('index.update', { dataset });
  const { token } = await run.attempt('index.update', 'main', args);
  const ended = async (): Promise<unknown> => run.attempt('index.update', 'check', { ...args, token }).catch(() => undefined);
  await expect.poll(ended).toMatchObject({ done: true });
  // The worker was killed before it could report: the update is over when the next one begins.
  const { value, calls } = await world.callsOf(() => run.attempt('index.update', 'main', args, 2));
  expect(value.token).toEqual(token);
  expect(calls).not.toContain('maps.indices.update');
  expect(await run.attempt('index.update', 'check', { ...args, token: value.token })).toMatchObject({
    output: { updated: true, rows: 43 },
  });
});
