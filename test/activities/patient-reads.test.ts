import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spentByLeftBehind } from '../../activities/agent/left-behind.ts';
import { spentNow } from '../../activities/budgets/read-spent.ts';
import type { StepContext } from '../../activities/frame/context.ts';
import { Wait } from '../../client/wait.ts';
import { callsOf, unlimited } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld();
  await unlimited(world);
  await world.control.agents({ pace: { from: 0, to: 0 } });
});
afterAll(() => world[Symbol.asyncDispose]());

/** An act under a limit that it comes to many times. */
async function narrowly<T>(act: () => Promise<T>): Promise<T> {
  await world.control.limit('instance/standard', 5, 1);
  return act().finally(() => unlimited(world));
}

test('a ledger of more runs than a limit lets read at once takes one attempt of each of its activities', async () => {
  const { invoke } = callsOf(world, world.service.adminKeys.instance);
  for (let at = 0; at < 10; at++) await invoke('instance.agents.launch', { prompt: { text: `Write to a${at}@example.com.` } });
  for (let open = 1; open > 0;) open = (await invoke('instance.agents.list', {})).data.filter(({ status }) => status !== 'finished').length;
  const { output, attempts } = await narrowly(() => world.newRun().step('budgets.ledger', { onUnexplained: 'report' }));
  expect([output.runs, attempts]).toEqual([10, 3]);
});

test('so does the comparison of more budgets than it lets read', async () => {
  const { invoke } = callsOf(world, world.service.adminKeys.instance);
  const projects = await Promise.all(Array.from({ length: 12 }, (_, at) => invoke('instance.projects.create', { name: `Deck ${at}` })));
  const desired = join(world.dir, 'desired.yaml');
  await writeFile(desired, `budgets:\n${projects.map(({ id }) => `  - { project: ${id}, amountCents: 0 }\n`).join('')}`);
  const { output, attempts } = await narrowly(() => world.newRun().step('budgets.compare', { desired, onDifference: 'report' }));
  expect([output.count, attempts]).toEqual([12, 1]);

  // And the reading back of all of them, once they are settled.
  const run = world.newRun();
  const input = { differences: output.differences };
  const { counts } = await run.step('budgets.apply', input, { approved: true });
  const back = { ...run.argsOf('budgets.apply', input), state: null, counts };
  expect(await narrowly(() => run.attempt('budgets.apply', 'finish', back))).toMatchObject({ count: 12, applied: 12 });
});

test('so does what agents of earlier runs have cost', async () => {
  let waits = 1;
  const invoke = async (operation: string) => {
    if (waits-- > 0) throw new Wait('later', 1);
    return operation === 'instance.agents.get' ? { status: 'finished' } : { spend: [{ costUsd: 0.5 }] };
  };
  const context = { invoke, signal: new AbortController().signal } as unknown as StepContext;
  expect(await spentByLeftBehind(['a', 'b'], 1, context)).toBe(1);
});

test('budgets whose windows have ended between two reads were not read at one moment', async () => {
  const at = (resetsAt: string): Promise<string> =>
    spentNow({
      invoke: async () => ({ data: [{ id: 'b', funding: { spentCents: 5 }, memberLimits: { resetsAt } }] }),
      signal: new AbortController().signal,
    } as unknown as StepContext);
  const [before, after] = [await at('2026-11-27T00:00:00Z'), await at('2026-11-28T00:00:00Z')];
  expect([before === after, await at('2026-11-28T00:00:00Z')]).toEqual([false, after]);
});
