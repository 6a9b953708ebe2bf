import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Calls } from '../../client/invoke.ts';
import { portolan } from '../cli/support.ts';
import { createControl, type Control } from '../support/control.ts';
import { startOpenAiEndpoint, type ChatRequest } from './openai-endpoint.ts';
import { callsOf, createWorld, unlimited, type World } from './world.ts';

const key = 'sk-test-0123456789';

/** Reads the one file, keeps what it found as a table, and says so. */
const worker = ({ messages }: ChatRequest) => {
  if (messages[0]!.content!.includes('plan.txt')) {
    const said = messages.at(-1)!.role === 'tool' ? messages.at(-1)!.content! : undefined;
    if (said !== undefined && !said.includes('by its id')) return { text: said };
    const second = messages[0]!.content!.match(/\[id [^\]]+\]/g)![1]!.slice(4, -1);
    return { calls: [{ name: 'read_file', args: { file: said === undefined ? 'plan.txt' : second } }] };
  }
  if (messages[1]!.content === 'Which ship is it?') {
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const ask = { name: 'ask_user', args: { question: 'Which?' } };
    return results.length > 0 ? { text: results.join(' ') } : { calls: [ask, { name: 'search_files', args: { query: 'ship' } }] };
  }
  const search = { name: 'search_files', args: { query: 'ship' } };
  if (messages[1]!.content === 'Search for ever.') return { calls: [search] };
  if (messages[1]!.content === 'Ask, and have it read.') {
    if (messages.at(-1)!.role === 'tool') return { text: 'Nobody said.' };
    const file = /\[id ([^\]]+)\]/.exec(messages[0]!.content!)?.[1] ?? 'note.txt';
    return {
      calls: [
        { name: 'ask_user', args: { question: 'Which?' } },
        { name: 'delegate', args: { prompt: 'Say what it says.', file } },
      ],
    };
  }
  const asked = messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.function.name));
  if (!messages[0]!.content!.includes('orders.csv')) return { text: 'There is nothing to read.' };
  if (!asked.includes('read_file')) return { calls: [{ name: 'read_file', args: { file: 'orders.csv' } }] };
  if (!asked.includes('save_table')) {
    const { rows } = JSON.parse(messages.at(-1)!.content!) as { rows: number };
    const table = { name: 'Rows', schema: [{ name: 'rows', type: 'number' }], elements: [{ rows }] };
    return { text: 'I keep the number.', calls: [{ name: 'save_table', args: table }] };
  }
  return { text: 'The table has three rows.' };
};

let endpoint: Awaited<ReturnType<typeof startOpenAiEndpoint>>;
let world: World;
let calls: Calls;
let control: Control;
const logged: string[] = [];

beforeAll(async () => {
  for (const stream of [process.stderr, process.stdout])
    vi.spyOn(stream, 'write').mockImplementation((text) => logged.push(String(text)) > 0);
  endpoint = await startOpenAiEndpoint(worker);
  world = await createWorld({
    agents: {
      pace: { from: 0, to: 0 },
      endpoint: {
        url: endpoint.url,
        model: 'small',
        key,
        prices: { small: { input: 2, output: 8, cached: 0.5 } },
        webSearch: true,
        timeoutSeconds: 0.5,
      },
    },
  });
  await world.service.listen();
  calls = callsOf(world, world.service.adminKeys.instance);
  control = createControl(() => world.service.url);
  await unlimited(world);
});
afterEach(() => control.clock(0));
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await endpoint?.[Symbol.asyncDispose]();
  vi.restoreAllMocks();
});

const launch = async (text: string, fileIds: string[] = []): Promise<string> =>
  (await calls.invoke('instance.agents.launch', { prompt: { text }, fileIds })).id;

const until = async (id: string, holds: (agent: { status: string; retry?: unknown }) => boolean) => {
  for (;;) {
    const agent = await calls.invoke('instance.agents.get', { id });
    if (holds(agent)) return agent;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const ended = (id: string) => until(id, ({ status }) => ['finished', 'failed'].includes(status));

test('an endpoint works with the tools, and what it counts is charged by its prices', async () => {
  const file = new File(['order,status\n1,open\n2,paid\n3,open\n'], 'orders.csv');
  const { id: fileId } = await calls.invoke('instance.files.upload', { file, path: 'orders.csv' });
  const id = await launch('How many rows has the table?', [fileId]);
  expect(await ended(id)).toMatchObject({ status: 'finished', artifacts: [{ type: 'TABLE', name: 'Rows' }] });
  const { messages } = await calls.invoke('instance.agents.conversation', { id, include: ['steps'] });
  expect(messages.map(({ type, text, toolName }) => [type, text ?? toolName])).toEqual([
    ['user', 'How many rows has the table?'],
    ['tool', 'read_file'],
    ['assistant', 'I keep the number.'],
    ['tool', 'save_table'],
    ['assistant', 'The table has three rows.'],
  ]);
  // Each round: 600 tokens at 2 $, 400 of the cache at 0.50 $ and 200 at 8 $ a million.
  const { spend } = await calls.invoke('instance.agents.usage', { id });
  expect(spend).toEqual([
    { model: 'small', costUsd: 0.009, inputTokens: 1_800, outputTokens: 600, cacheCreationTokens: 0, cacheReadTokens: 1_200 },
  ]);
  const last = endpoint.requests.at(-1)!;
  expect(last.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool']);
  // Every result follows the call that it is of.
  for (const [at, { tool_call_id: of }] of last.messages.entries())
    if (of !== undefined) expect(last.messages[at - 1]!.tool_calls!.map((call) => call.id)).toContain(of);
  expect(last.tools!.map((tool) => tool.function.name)).toEqual(
    expect.arrayContaining(['read_file', 'query_table', 'save_table', 'ask_user']),
  );
  expect(last.tools!.map((tool) => tool.function.name)).not.toContain('search_codes');
  expect(new Set(endpoint.keys)).toEqual(new Set([`Bearer ${key}`]));
});

test('of two files of one name an endpoint is told the ids, and has to name one by it', async () => {
  const { id: parentId } = await calls.invoke('instance.files.tempFolder', {});
  const fileIds: string[] = [];
  for (const folder of ['one', 'two']) {
    const file = new File([`This is plan ${folder}.`], 'plan.txt');
    fileIds.push((await calls.invoke('instance.files.upload', { file, parentId, path: `${folder}/plan.txt` })).id);
  }
  const id = await launch('What does the second plan say?', fileIds);
  expect(await ended(id)).toMatchObject({ status: 'finished' });
  const { messages } = await calls.invoke('instance.agents.conversation', { id, include: ['steps'] });
  expect(messages.map(({ type, status }) => status ?? type)).toEqual(['user', 'failed', 'completed', 'assistant']);
  expect(messages.at(-1)!.text).toContain('This is plan two.');
});

test('a file that fills two slots of a workflow is one file, in both', async () => {
  const requestedFiles = [{ name: 'old' }, { name: 'new' }];
  const { id: workflowId } = await calls.invoke('instance.workflows.create', { name: 'compare', requestedFiles });
  const file = new File(['One plan.'], 'both.txt');
  const { id: fileId } = await calls.invoke('instance.files.upload', { file, path: 'both.txt' });
  const inputs = { prompt: { text: 'Hello.' }, workflowInputs: { old: fileId, new: fileId } };
  const { id, activeFileIds } = await calls.invoke('instance.agents.launch', { workflowId, ...inputs });
  expect(activeFileIds).toEqual([fileId]);
  await ended(id);
  expect(endpoint.requests.at(-1)!.messages[0]!.content).toContain('Files: both.txt (old, new).');
});

test('the images of a prompt and of a follow-up are sent to an endpoint beside their texts', async () => {
  const image = (data: string) => ({ media_type: 'image/png' as const, data });
  const { id } = await calls.invoke('instance.agents.launch', { prompt: { text: 'Look.', images: [image('aaaa'), image('bbbb')] } });
  await ended(id);
  await calls.invoke('instance.agents.followup', { id, prompt: { text: 'And at this.', images: [image('cccc')] } });
  await ended(id);
  const part = (data: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } });
  expect(
    endpoint.requests
      .at(-1)!
      .messages.filter(({ role }) => role === 'user')
      .map(({ content }) => content as unknown),
  ).toEqual([
    [{ type: 'text', text: 'Look.' }, part('aaaa'), part('bbbb')],
    [{ type: 'text', text: 'And at this.' }, part('cccc')],
  ]);
});

test('an endpoint that searches the web is asked to for agents that may, and for no others', async () => {
  for (const [webSearch, sent] of [
    [true, {}],
    [false, undefined],
  ] as const) {
    const { id } = await calls.invoke('instance.agents.launch', { prompt: { text: 'Hello.' }, capabilities: { webSearch } });
    await ended(id);
    expect(endpoint.requests.at(-1)!.web_search_options).toEqual(sent);
    const { messages } = await calls.invoke('instance.agents.conversation', { id, include: ['steps'] });
    expect(messages.map(({ type }) => type)).toEqual(['user', 'assistant']);
  }
});

test('429, 500 and silence are tried again; after three failures the agent shows why and goes on later', async () => {
  endpoint.troubles.push({ status: 429 }, { status: 500 });
  expect(await ended(await launch('Hello.'))).toMatchObject({ status: 'finished' });
  endpoint.troubles.push('silence');
  expect(await ended(await launch('Hello again.'))).toMatchObject({ status: 'finished' });
  endpoint.troubles.push({ status: 500 }, { status: 500 }, { status: 429 });
  const id = await launch('Hello once more.');
  const { retry } = await until(id, (agent) => agent.retry != null);
  expect(retry).toMatchObject({ category: 'rate_limit', provider: 'openai', attemptCount: 1, operatorActionRequired: false });
  await control.clock(31);
  expect(await ended(id)).toMatchObject({ status: 'finished' });
});

test.each<Record<string, string>>([{ 'retry-after': '3600' }, { 'retry-after-ms': '3600000', 'x-should-retry': 'true' }])(
  'an endpoint that asks for a long wait is not asked before it is over: %j',
  async (headers) => {
    const [before, asked] = [Date.now(), endpoint.requests.length];
    endpoint.troubles.push({ status: 429, headers });
    const id = await launch('Hello.');
    const { retry } = await until(id, (agent) => agent.retry != null || agent.status === 'finished');
    expect(retry).toMatchObject({ category: 'rate_limit', attemptCount: 1 });
    expect(Date.parse((retry as { nextRetryAt: string }).nextRetryAt) - before).toBeGreaterThanOrEqual(3_600_000);
    expect(endpoint.requests.length - asked).toBe(1);
    await control.clock(3_601);
    expect(await ended(id)).toMatchObject({ status: 'finished' });
  },
);

test('what a person has to see to fails at once, and the key stands nowhere', async () => {
  endpoint.troubles.push({ status: 401, says: `Incorrect API key provided: ${key}` });
  const id = await launch('Hello.');
  const agent = await ended(id);
  expect(agent).toMatchObject({ status: 'failed', retry: { category: 'authentication', operatorActionRequired: true } });
  const { messages } = await calls.invoke('instance.agents.conversation', { id, include: ['steps'] });
  expect(messages.at(-1)!.text).toContain('answered 401');
  expect(JSON.stringify([agent, messages])).not.toContain(key);
  expect(logged.join('')).not.toContain(key);
});

test('a file that names no endpoint is refused with what is wrong, and with no word of the key', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'portolan-endpoint-'));
  try {
    const write = (name: string, content: string): void => writeFileSync(join(dir, name), content);
    write('key', key);
    // As an editor saves it that begins texts with a byte order mark.
    write('typo.json', '\uFEFF' + JSON.stringify({ url: 'http://127.0.0.1:1/v1', modle: 'small', keyFile: 'key' }));
    write('gone.json', JSON.stringify({ url: 'http://127.0.0.1:1/v1', model: 'small', keyFile: 'no-key' }));
    for (const [file, says] of [
      ['typo.json', /model/],
      ['gone.json', /keyFile .*no-key cannot be read \(ENOENT\)/],
      ['none.json', /cannot be read as JSON \(ENOENT\)/],
    ] as const)
      for (const verb of ['service', 'dev']) {
        const { code, err } = await portolan([verb, '--agents', file], { cwd: dir });
        expect([code, err]).toEqual([2, expect.stringMatching(says)]);
        expect(err).not.toContain(key);
      }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('an answer that comes while another call of the same round is carried out is not waited for once more', async () => {
  const { id: hold } = await control.fault('agent.tools', 2, { hold: 'before' });
  const id = await launch('Which ship is it?');
  expect(await control.held(hold)).toBe(true);
  await control.answer(id, 'the Fram');
  await control.release(hold);
  await ended(id);
  const { messages } = await calls.invoke('instance.agents.conversation', { id });
  expect(messages.at(-1)!.text).toContain('the Fram');
});

test('a worker that only ever calls tools is ended after fifty rounds', async () => {
  const before = endpoint.requests.length;
  const id = await launch('Search for ever.');
  expect(await ended(id)).toMatchObject({ status: 'failed' });
  const { messages } = await calls.invoke('instance.agents.conversation', { id });
  expect([messages.at(-1)!.text, endpoint.requests.length - before]).toEqual(['not done after 50 rounds', 50]);
});

test('of several calls that are waited for the first that may end is looked at first', async () => {
  // Whoever begins a turn is at it for hours, the sub-agent too.
  await control.agents({ pace: { from: 5_000, to: 5_000 } });
  try {
    const { id: fileId } = await calls.invoke('instance.files.upload', { file: new File(['A note.'], 'note.txt'), path: 'note.txt' });
    const id = await launch('Ask, and have it read.', [fileId]);
    await until(id, ({ status }) => status === 'running');
    await control.clock(5_001);
    await until(id, ({ status }) => status === 'awaiting_tool');
    const tools = async () => {
      const { messages } = await calls.invoke('instance.agents.conversation', { id, include: ['steps'] });
      return messages.flatMap(({ toolName, status }) => (toolName ? [[toolName, status]] : []));
    };
    expect(await tools()).toEqual([
      ['ask_user', 'started'],
      ['delegate', 'started'],
    ]);
    // Nobody answers for ten minutes; the sub-agent may take a day.
    await control.clock(5_602);
    await expect.poll(tools).toEqual([
      ['ask_user', 'completed'],
      ['delegate', 'started'],
    ]);
    await control.clock(20_000);
    expect(await ended(id)).toMatchObject({ status: 'finished' });
  } finally {
    await control.agents({ pace: { from: 0, to: 0 } });
  }
});
