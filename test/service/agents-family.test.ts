import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Calls } from '../../client/invoke.ts';
import { ended, launched, messagesOf, orders, seen } from '../spec/instance-agents.ts';
import { createControl, type Control } from '../support/control.ts';
import { callsOf, createWorld, unlimited, type World } from './world.ts';

let world: World;
let calls: Calls;
let control: Control;
beforeAll(async () => {
  world = await createWorld({ agents: { pace: { from: 0, to: 0 } } });
  await world.service.listen();
  calls = callsOf(world, world.service.adminKeys.instance);
  control = createControl(() => world.service.url);
  await unlimited(world);
});
afterEach(() => control.clear());
afterAll(async () => world?.[Symbol.asyncDispose]());

const asking = 'Ask me which ship is meant. Use sub-agents for each file.';
const ships = { 'one.txt': 'One ship sails.', 'two.txt': 'Two ships sail.' };

const subAgentsOf = async (id: string): Promise<string[]> =>
  (await messagesOf(calls, id, true)).flatMap(({ subAgentIds }) => subAgentIds ?? []);

/** Resolves once the agent is found no more. */
const gone = async (id: string): Promise<void> => {
  for (;;) {
    const { status } = await fetch(`${world.service.url}/api/v0/agents/${id}`, {
      headers: { authorization: `Bearer ${world.service.adminKeys.instance}` },
    });
    if (status === 404) return;
    await pause(10);
  }
};

/** An agent that has begun its first sub-agent, and is held before it begins the second. */
async function heldAtSecond(): Promise<{ id: string; release: () => Promise<unknown> }> {
  const { id: hold } = await control.fault('agent.tools', 2, { hold: 'before' });
  const { id } = await launched(calls, asking, ships);
  expect(await control.held(hold)).toBe(true);
  return { id, release: () => control.release(hold) };
}

/** Answers that models give while it counts. What is due before the last agent is asked before that one, which has one answer. */
async function answersUntilQuiet(): Promise<{ count: () => Promise<number> }> {
  const { id } = await control.faultIfCalled('agent.answered', 1_000_000, { hold: 'before' });
  return {
    async count() {
      await ended(calls, (await launched(calls, 'Summarise: ships sail.')).id);
      return (await control.faults()).find((fault) => fault.id === id)!.calls - 1;
    },
  };
}

test('an agent that is stopped while it begins sub-agents begins no further one, and none goes on', async () => {
  const { id, release } = await heldAtSecond();
  const [first] = await subAgentsOf(id);
  const answers = await answersUntilQuiet();
  await calls.invoke('instance.agents.stop', { id });
  await release();
  expect((await ended(calls, id)).status).toBe('stopped');
  expect((await ended(calls, first!)).status).toBe('stopped');
  expect(await answers.count()).toBe(0);
  expect(await subAgentsOf(id)).toEqual([first]);
});

test('an agent that is deleted while it begins sub-agents begins no further one, and none goes on', async () => {
  const { id, release } = await heldAtSecond();
  const [first] = await subAgentsOf(id);
  const answers = await answersUntilQuiet();
  const removed = calls.invoke('instance.agents.remove', { id });
  await gone(id);
  await release();
  await removed;
  await gone(first!);
  expect(await answers.count()).toBe(0);
});

test('an agent whose sub-agent is deleted goes on, and says so', async () => {
  const { id } = await launched(calls, asking, { 'one.txt': 'One ship sails.' });
  await seen(calls, id, 'awaiting_tool');
  const [sub] = await subAgentsOf(id);
  await seen(calls, sub!, 'awaiting_tool');
  await calls.invoke('instance.agents.remove', { id: sub! });
  expect((await ended(calls, id)).status).toBe('finished');
  expect((await messagesOf(calls, id)).at(-1)!.text).toBe('one.txt (sub-agent gone):\nit was deleted before it had ended');
});

test('a sub-agent that is deleted before its agent waits for it is not waited for', async () => {
  const { id, release } = await heldAtSecond();
  const [first] = await subAgentsOf(id);
  await calls.invoke('instance.agents.remove', { id: first! });
  await release();
  const delegations = async () =>
    (await messagesOf(calls, id, true)).filter(({ toolName }) => toolName === 'delegate').map(({ status }) => status);
  await expect.poll(delegations).toEqual(['completed', 'started']);
  await calls.invoke('instance.agents.remove', { id });
});

/** Two files of one name, in two folders. */
async function namesakes(name: string, ...contents: [string, string]): Promise<string[]> {
  const { id: parentId } = await calls.invoke('instance.files.tempFolder', {});
  const uploads = contents.map(async (content, at) =>
    calls.invoke('instance.files.upload', { file: new File([content], name), parentId, path: `${at}-${crypto.randomUUID()}/${name}` }),
  );
  const ids = (await Promise.all(uploads)).map(({ id }) => id);
  for (const id of ids) await expect.poll(async () => (await calls.invoke('instance.files.status', { id })).status).toBe('ready');
  return ids;
}

test.each([
  ['Use sub-agents: summarise each file separately in 1 sentence. Count the rows.', 'summarise the file in 1 sentence. Count the rows.'],
  ['Count the orders by status. Use sub-agents for each file.', 'Count the orders by status.'],
  ['Extract the emails with a sub-agent for each file.', 'Extract the emails'],
  ['Use sub-agents.', 'Summarise the file.'],
])('of %s a sub-agent is asked all but that there be one', async (text, asked) => {
  const files = await namesakes('note.txt', 'Write to ada@example.com.', 'Write to ben@example.com.');
  const { id } = await calls.invoke('instance.agents.launch', { prompt: { text }, fileIds: files });
  await ended(calls, id);
  const [sub] = await subAgentsOf(id);
  expect((await messagesOf(calls, sub!)).find(({ type }) => type === 'user')?.text).toBe(asked);
});

test('two files of one name are both read: by sub-agents, as tables and as drawings', async () => {
  const emails = await namesakes('plan.txt', 'Write to ada@example.com. Doors TBD.', 'Write to ben@example.com. Hold the roof.');
  const ask = async (text: string, fileIds: string[]) => {
    const { id } = await calls.invoke('instance.agents.launch', { prompt: { text }, fileIds });
    const { artifacts = [] } = await ended(calls, id);
    const contents = (artifacts ?? []).map(async (each) => calls.invoke('instance.agents.artifact', { id, artifactId: each.id }));
    return { word: (await messagesOf(calls, id)).at(-1)!.text!, artifacts: await Promise.all(contents) };
  };
  const { word } = await ask('Extract the emails. Use sub-agents for each file.', emails);
  expect(word).toMatch(
    /plan\.txt \(1 of 2\) \(sub-agent finished\):\n1 emails: ada@.*plan\.txt \(2 of 2\) \(sub-agent finished\):\n1 emails: ben@/s,
  );

  const tables = await namesakes('orders.csv', 'order,status\n1,open\n', 'order,status\n1,paid\n2,paid\n');
  const counted = await ask('Count the orders by status.', tables);
  expect(counted.artifacts.map(({ name, version, content }) => [name, version, (content as { elements: object[] }).elements])).toEqual([
    ['orders.csv (1 of 2): count by status', 1, [{ status: 'open', count: 1 }]],
    ['orders.csv (2 of 2): count by status', 1, [{ status: 'paid', count: 2 }]],
  ]);

  const { artifacts } = await ask('Review the drawings.', emails);
  expect(artifacts[0]!.content).toMatchObject({
    files: emails.map((fileId, at) => ({ fileId, remarks: [{ text: expect.stringContaining(['TBD', 'Hold'][at]!) }] })),
  });
});

test('the URL of an export holds its five minutes, also where the agent is deleted meanwhile', async () => {
  const { id } = await launched(calls, 'Count the orders by status.', { 'orders.csv': orders });
  const { artifacts } = await ended(calls, id);
  const { url } = await calls.invoke('instance.agents.export', { id, artifactId: artifacts![0]!.id, format: 'csv' });
  await calls.invoke('instance.agents.remove', { id });
  const answer = await fetch(url);
  expect([answer.status, (await answer.text()).split(/\r?\n/)]).toEqual([200, ['status,count', 'open,2', 'paid,1', '']]);
  await control.clock(301);
  expect((await fetch(url)).status).toBe(403);
  await control.clock(0);
});
