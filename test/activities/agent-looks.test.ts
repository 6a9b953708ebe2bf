import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Pass } from '../../activities/agent/pass.ts';
import { watch } from '../../activities/agent/watch.ts';
import type { StepContext } from '../../activities/frame/context.ts';
import { openIntents } from '../../store/intents.ts';
import { callsOf, unlimited } from '../service/world.ts';
import { preparedAgents } from './prepared-agents.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld();
  await world.control.agents({ pace: { from: 0, to: 0 } });
});
beforeEach(() => unlimited(world));
afterEach(() => world.control.clear());
afterAll(() => world[Symbol.asyncDispose]());

const asks = 'Ask me which ship is meant.';
const table = (...texts: readonly string[]): Promise<string> => world.table(texts.map((text, at) => ({ id: `i${at}`, text })));
const countOf = (calls: readonly string[], operation: string): number => calls.filter((call) => call === operation).length;

/** Waits until so many agents of the newest are so. */
async function until(is: string, count = 1): Promise<void> {
  const { invoke } = callsOf(world, world.service.adminKeys.instance);
  for (;;) {
    const { data } = await invoke('instance.agents.list', { limit: 100 });
    if (data.slice(0, count).every(({ status }) => status === is)) return;
  }
}

// The first one: what an earlier test has listed would serve its looks for a quarter of a second.
test('a list of agents that cannot be read is a failure of none of them', async () => {
  const { attempt, toItsEnd } = await preparedAgents(world.newRun(), 'ask', { items: await table('Write to a@example.com.') });
  await attempt(1).catch(() => undefined);
  await world.control.fault('instance.agents.list', 1, { status: 500 }, 12);
  for (let number = 2; number < 14; number++)
    await expect(attempt(number)).rejects.toMatchObject({ message: expect.stringContaining('instance.agents.list'), category: 'BENIGN' });
  expect(await toItsEnd(14)).toMatchObject({ done: 1 });
});

test('agents that wait for a tool stand in the list too, and none of them is asked for by itself', async () => {
  const { attempt } = await preparedAgents(world.newRun(), 'ask', { items: await table(asks, asks, asks) });
  await attempt(1).catch(() => undefined);
  await until('awaiting_tool', 3);
  // What was listed before serves looks for a quarter of a second: the first look that lists them anew is the one.
  for (let number = 2; ; number++) {
    const { calls } = await world.callsOf(() => expect(attempt(number)).rejects.toThrow('0 of 3 agents have ended'));
    if (!calls.includes('instance.agents.list')) continue;
    expect(countOf(calls, 'instance.agents.get')).toBe(0);
    return;
  }
});

test('an agent that stalls is known as stalled, whichever of many looks has found it so', async () => {
  const { attempt, toItsEnd } = await preparedAgents(world.newRun(), 'ask', { items: await table(asks), stallSeconds: 1 });
  await attempt(1).catch(() => undefined);
  await until('awaiting_tool');
  await expect(attempt(9)).rejects.toThrow('0 of 1 agents have ended');
  await sleep(1_000);
  await expect(attempt(10)).rejects.toThrow('0 of 1 agents have ended');
  expect(await toItsEnd(11)).toMatchObject({ done: 1, stalled: 1 });
});

test('of an agent that changes from look to look not each leaves a line, and it does not stall', async () => {
  const { store } = world.newRun();
  const intents = openIntents(store, ['ask'], 'one');
  const pass = { input: { stallSeconds: 3_600 }, context: {} } as Pass;
  for (let at = 0; at < 50; at++)
    await watch({ id: 'a', status: at < 40 ? 'running' : 'waiting', updatedAt: String(at), at: Date.now() }, pass, {
      intents: () => intents,
    } as StepContext);
  await intents.close();
  const lines = (await readFile(store.path('intents', 'ask', '1~one.jsonl'), 'utf8')).split('\n').filter((line) => line !== '');
  expect(lines.map((line) => JSON.parse(line)[2].updatedAt)).toEqual(['0', '40']);
});

test('failures between looks that went well end no agent, however many there are', async () => {
  const input = { items: await table(asks), cap: { item: 1 } };
  const { attempt } = await preparedAgents(world.newRun(), 'ask', input);
  await attempt(1).catch(() => undefined);
  await until('awaiting_tool');
  for (let number = 2; number < 26; number += 2) {
    await world.control.fault('instance.agents.usage', 1, { status: 500 });
    for (const each of [number, number + 1]) await expect(attempt(each)).rejects.toThrow('0 of 1 agents have ended');
  }
});

test('of an item whose launch was sent and could not be looked up nobody says that it has failed', async () => {
  const run = world.newRun();
  const { attempt } = await preparedAgents(run, 'ask', { items: await table('Write to a@example.com.') });
  await world.control.fault('instance.agents.launch', 1, { lose: 'answer' });
  await world.control.faultIfCalled('instance.agents.conversation', 1, { status: 500 }, 100);
  for (let number = 1; number < 10; number++) await expect(attempt(number)).rejects.toThrow('0 of 1 agents have ended');
  expect(await attempt(10)).toMatchObject({ done: 1, unknown: 1 });
  expect(await run.store.readItems({ step: 'ask' })).toMatchObject([
    { item: 'i0', status: 'unknown', reason: expect.stringContaining(`portolan rerun ${run.id} --fate i0=again`) },
  ]);
});

test('agents that have ended are read to their end in one look, with what they have made, though a limit closes in the midst of it', async () => {
  const path = join(world.dir, 'orders.csv');
  await writeFile(path, 'order,status\n1,open\n2,paid\n');
  const items = await world.table(Array.from({ length: 8 }, (_, at) => ({ id: `i${at}`, path })));
  const input = { items, files: ['path'], prompt: 'Count the orders by status.', exports: ['csv', 'xlsx'] };
  const { attempt } = await preparedAgents(world.newRun(), 'ask', input);
  await attempt(1).catch(() => undefined);
  await until('finished', 8);
  for (const [operation, nth] of [
    ['usage', 4],
    ['export', 3],
    ['export', 9],
  ] as const)
    await world.control.fault(`instance.agents.${operation}`, nth, { status: 429, retryAfter: 2 });
  const { value, calls } = await world.callsOf(() => attempt(2));
  expect([value, countOf(calls, 'instance.agents.export')]).toMatchObject([{ done: 8 }, 16 + 2]);
});

test('an agent is judged by when the service was asked, however long the look waits for others behind that', async () => {
  const { store } = world.newRun();
  const intents = openIntents(store, ['ask'], 'one');
  const pass = { input: { stallSeconds: 1 }, context: {} } as Pass;
  const own = { intents: () => intents, held: async () => undefined } as StepContext;
  const look = (at: number): Promise<void> => watch({ id: 'a', status: 'running', updatedAt: 'same', at }, pass, own);
  const begun = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: begun });
  await look(begun);
  vi.setSystemTime(begun + 5_000);
  // A stop would be a call, and the step has none.
  await look(begun + 500);
  vi.useRealTimers();
  await expect(look(begun + 1_000)).rejects.toThrow('invoke');
  await intents.close();
});

test('files of an item that its cap ends are not sent', async () => {
  const items = await Promise.all(
    ['a', 'b'].map(async (id) => {
      const path = join(world.dir, `${id}.txt`);
      await writeFile(path, `Write to ${id}@example.com.`);
      return { id, path };
    }),
  );
  const input = { items: await world.table(items), files: ['path'], prompt: 'Extract the emails.', cap: { item: 1, total: 1 } };
  const { value, calls } = await world.callsOf(async () => (await preparedAgents(world.newRun(), 'ask', input)).toItsEnd(1));
  expect([value, countOf(calls, 'instance.files.upload')]).toMatchObject([{ done: 2, capped: 1 }, 1]);
});

test('an item whose file the service does not take in has failed after stallSeconds', async () => {
  const path = join(world.dir, 'slow.pdf');
  await writeFile(path, '%PDF-1.7 Write to slow@example.com.');
  const run = world.newRun();
  const input = { items: await world.table([{ id: 'a', path }]), files: ['path'], prompt: 'Extract the emails.', stallSeconds: 1 };
  const { attempt } = await preparedAgents(run, 'ask', input);
  const { id } = await world.control.fault('file.ingesting', 1, { hold: 'before' });
  await expect(attempt(1)).rejects.toThrow('0 of 1 agents have ended');
  await sleep(1_000);
  expect(await attempt(2)).toMatchObject({ done: 1, failed: 1 });
  expect(await run.store.readItems({ step: 'ask' })).toMatchObject([
    { status: 'failed', reason: expect.stringContaining(`${path}: the service has not taken it in for 1 s (stallSeconds)`) },
  ]);
  await world.control.release(id);
});
