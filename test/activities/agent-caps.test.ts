import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ofItem, ofTheRun } from '../../activities/agent/run-cap.ts';
import type { Standing } from '../../activities/frame/fence.ts';
import { openReservations } from '../../store/reservations.ts';
import { preparedAgents } from './prepared-agents.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
let standing: Standing = 'held';
beforeAll(async () => {
  world = await createStepWorld([], {}, async () => standing);
  await world.control.agents({ pace: { from: 0, to: 0 } });
});
afterAll(() => world[Symbol.asyncDispose]());

const launches = (calls: readonly string[]): number => calls.filter((call) => call === 'instance.agents.launch').length;

test('an item that was capped is launched by no later attempt, though a kill has taken the line that says so', async () => {
  const items = await world.table(['a', 'b', 'c'].map((id) => ({ id, text: 'Nothing here.' })));
  const run = world.newRun();
  const { toItsEnd } = await preparedAgents(run, 'ask', { items, cap: { item: 1, total: 1, run: 1 } });
  const first = await world.callsOf(() => toItsEnd(1));
  expect([first.value, launches(first.calls)]).toMatchObject([{ done: 3, capped: 2 }, 1]);
  // What is reserved is on the disk at once; lines of the journal are not, when the power fails.
  const folder = run.store.path('intents', 'ask', 'chunk', '0');
  for (const name of await readdir(folder)) {
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n');
    await writeFile(join(folder, name), lines.filter((line) => !line.includes('"capped"')).join('\n'));
  }
  const second = await world.callsOf(() => toItsEnd(100));
  expect([second.value, launches(second.calls)]).toMatchObject([{ done: 3, capped: 2 }, 0]);
});

test('an attempt that was given away sets nothing aside, for which nobody would come back', async () => {
  const items = await world.table([{ id: 'a', text: 'Nothing here.' }]);
  const run = world.newRun();
  const { attempt, toItsEnd } = await preparedAgents(run, 'ask', {
    items,
    followUps: [{ prompt: 'Once more: {{text}}' }],
    turns: 2,
    cap: { item: 1, run: 1 },
  });
  await attempt(1).catch(() => undefined);
  const { id } = await world.control.fault('instance.agents.conversation', 1, { hold: 'before' });
  let late: Promise<unknown> | undefined;
  for (let number = 2; late === undefined; number++) {
    const begun = attempt(number).catch((error: unknown) => error);
    // An agent that goes on is not asked what it has said.
    if ((await Promise.race([begun, world.control.held(id).then(() => 'held' as const)])) === 'held') late = begun;
  }
  expect(await toItsEnd(100)).toMatchObject({ done: 1 });
  const purse = await openReservations(run.store, ofTheRun, 1);
  const spent = purse.amounts();
  standing = 'given away';
  await world.control.release(id);
  expect(await late).toMatchObject({ message: expect.stringContaining('this attempt is over') });
  standing = 'held';
  expect(purse.amounts()).toEqual(spent);
  // What was left is there for the step behind it.
  expect(spent.get(ofItem('ask', 'a'))).toBeLessThan(0.5);
  expect(purse.reserve('next', 0.5)).toBe('reserved');
  purse.close();
});
