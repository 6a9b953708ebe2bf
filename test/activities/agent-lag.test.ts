import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lags } from '../../activities/agent/follow.ts';
import type { NamedItem } from '../../activities/agent/items.ts';
import { intentsOf } from '../../activities/agent/ends.ts';
import { mayHaveSpentMore } from '../../activities/agent/spent.ts';
import { openIntents, type Intents } from '../../store/intents.ts';
import { callsOf, unlimited } from '../service/world.ts';
import { preparedAgents } from './prepared-agents.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

/** The service shows that an agent has finished before it shows what that has said since it was asked last, or that it was asked. */
let hidden: 'nothing' | 'answer' | 'prompt' = 'nothing';
let service: string;
const shown = createServer(async (request, response) => {
  const { 'content-length': _, connection: __, host: ___, ...headers } = request.headers as Record<string, string>;
  const body = request.method === 'GET' ? undefined : new Uint8Array(await buffer(request));
  const answer = await fetch(service + request.url, { method: request.method!, headers, ...(body ? { body } : {}) });
  let text = await answer.text();
  if (hidden !== 'nothing' && request.url!.includes('/conversation')) {
    const { data } = JSON.parse(text) as { data: { messages: { type: string }[] } };
    const asked = data.messages.findLastIndex(({ type }) => type === 'user');
    text = JSON.stringify({ data: { ...data, messages: data.messages.slice(0, hidden === 'answer' ? asked + 1 : asked) } });
  }
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
  response.end(text);
});

let world: StepWorld;
beforeAll(async () => {
  const through = async (url: string): Promise<string> => {
    service = url;
    await new Promise<void>((resolve) => shown.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(shown.address() as AddressInfo).port}`;
  };
  world = await createStepWorld([], { through });
  await unlimited(world);
  await world.control.agents({ pace: { from: 0, to: 0 } });
});
afterAll(async () => {
  shown.closeAllConnections();
  shown.close();
  await world[Symbol.asyncDispose]();
});

const newest = async () => (await callsOf(world, world.service.adminKeys.instance).invoke('instance.agents.list', {})).data[0];

test('what an agent has said before it was asked last is no answer to that, also where the service shows no other yet', async () => {
  const items = await world.table([{ id: 'a', text: 'Write to a@example.com.' }]);
  const followUps = [{ when: { says: '1 emails' }, prompt: 'Count the words of this note: {{text}}' }];
  const run = world.newRun();
  const { attempt, toItsEnd } = await preparedAgents(run, 'ask', {
    items,
    prompt: 'Extract the emails of this note: {{text}}',
    followUps,
    turns: 5,
  });
  await attempt(1).catch(() => undefined);
  while ((await newest())?.status !== 'finished');
  // Looks and sends the follow-up, whose end the service shows without its answer.
  await attempt(2).catch(() => undefined);
  while ((await newest())?.status !== 'finished');
  for (const [at, what] of (['answer', 'prompt'] as const).entries()) {
    hidden = what;
    const { calls } = await world.callsOf(() => expect(attempt(3 + at)).rejects.toThrow('0 of 1 agents have ended'));
    expect(calls).not.toContain('instance.agents.followup');
    // A rerun sets aside what its turn may cost.
    expect(mayHaveSpentMore(intentsOf(openIntents(run.store, ['ask', 'chunk', '0'], 'reader'), 0))).toBe(true);
  }
  hidden = 'nothing';
  const { value, calls: since } = await world.callsOf(() => toItsEnd(5));
  expect([value, since.includes('instance.agents.followup')]).toMatchObject([{ done: 1 }, false]);
});

test.each(['stopped', 'failed', 'finished'])('an end as %s is that of the turn before while what was asked last is not shown', (status) => {
  const asked = new Map([['instance.agents.followup x', { is: 'done', result: {}, intents: [] }]]);
  const seen = new Map<string, unknown>();
  const intents = {
    calls: () => asked,
    state: (call: string) => (seen.has(call) ? { is: 'done', result: seen.get(call), intents: [] } : { is: 'new', intents: [] }),
    done: (call: string, result: unknown) => void seen.set(call, result),
  } as unknown as Intents;
  const item = { key: 'a', item: { mark: 'a' } } as unknown as NamedItem;
  const messages = [{ type: 'user', text: 'Write. [ref a]' }] as Parameters<typeof lags>[0]['messages'];
  expect(lags({ status, messages }, item, intents)).toBe(true);
});
