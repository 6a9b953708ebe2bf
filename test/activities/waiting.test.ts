import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test('what is missing for an hour is some hundred lines of the run, looked for at least twice a minute', async () => {
  const run = world.newRun();
  const args = run.argsOf('dataset.ensure', { slug: 'waited-for' });
  await rename(join(world.dir, 'key'), join(world.dir, 'key.gone'));
  const pauses: number[] = [];
  while (pauses.reduce((sum, ms) => sum + ms, 0) < 3_600_000) {
    const failure: unknown = await run.attempt('dataset.ensure', 'main', args, pauses.length + 1).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'Unavailable', nonRetryable: false });
    pauses.push(Number((failure as ApplicationFailure).nextRetryDelay));
  }
  expect(pauses[0]).toBeLessThan(3_000);
  expect(Math.max(...pauses)).toBe(30_000);
  const events = await run.store.events();
  expect(events).toHaveLength(pauses.length);
  expect(events.length).toBeLessThan(150);
  await rename(join(world.dir, 'key.gone'), join(world.dir, 'key'));
  expect((await run.step('dataset.ensure', { slug: 'waited-for' })).output).toMatchObject({ created: true });
});
