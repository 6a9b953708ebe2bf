import { beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { ended, launched, launchedFrom, messagesOf, orders, quick, seen, uploaded } from './instance-agents.ts';
import { answered, flag, number, once, text, time, uuid, whole } from './instance-fields.ts';
import { newProject, useInstance } from './instance-place.ts';
import { pdfOf } from '../service/pdf-writer.ts';
import { pagesOf } from '../support/pdf-pages.ts';
import { readyFile } from '../support/ready-file.ts';
import { proves } from './proves.ts';

const place = useInstance();
beforeAll(() => quick(place()));
const owner = () => place().owner;

/** An agent of a workflow in a project, with a table and a document, and what it was made of. */
const made = once(async () => {
  const project = await newProject(owner());
  const { id: workflowId, versionId } = await owner().invoke('instance.workflows.create', {
    name: 'Count and tell',
    instructionMarkdown: 'Count the orders by status and summarise the notes.',
    requestedFiles: [{ name: 'papers', multiple: true }],
  });
  const files = [await uploaded(owner(), 'orders.csv', orders), await uploaded(owner(), 'notes.txt', 'Ships sail. Ships sink.')];
  const { id } = await launchedFrom(owner(), workflowId, { projectId: project.id, workflowInputs: { papers: files } });
  return { agent: await ended(owner(), id), project, workflowId, versionId, files };
});
const summaryOf = async (id: string) => (await owner().invoke('instance.agents.list', { limit: 100 })).data.find((each) => each.id === id);
const summary = answered(async () => summaryOf((await made()).agent.id));
const detail = answered(async () => (await made()).agent);

proves(['instance:agent-summary/id'], 'an agent has an id', summary('id', uuid));
proves(['instance:agent-summary/title'], 'an agent has a title', summary('title', text));
proves(['instance:agent-summary/createdAt'], 'an agent says when it was launched', summary('createdAt', time));
proves(['instance:agent-summary/updatedAt'], 'an agent says when it was changed', summary('updatedAt', time));
proves(['instance:agent-summary/artifacts#id'], 'artifacts of an agent are named by their id', summary('artifacts.*.id', uuid));
proves(['instance:agent-summary/artifacts#name'], 'artifacts of an agent have a name', summary('artifacts.*.name', text));
proves(
  ['instance:agent-summary/artifacts#createdAt'],
  'artifacts of an agent say when they were made',
  summary('artifacts.*.createdAt', time),
);
proves(
  ['instance:agent-detail/1#parentSessionId'],
  'what nobody has started as a sub-agent has no parent, and every agent a model',
  async () => {
    await detail('parentSessionId', z.null())();
    await detail('model', text)();
  },
);

proves(
  ['instance:agent-summary/workflowId', 'instance:agent-summary/workflowVersionId', 'instance:agent-summary/projectId'],
  'an agent names workflow, version and project of its launch, and none where there are none',
  async () => {
    const { agent, project, workflowId, versionId } = await made();
    expect(await summaryOf(agent.id)).toMatchObject({ workflowId, workflowVersionId: versionId, projectId: project.id });
    const { id } = await launched(owner(), 'Summarise: ships sail.');
    expect(await summaryOf(id)).toMatchObject({ workflowId: null, workflowVersionId: null, projectId: null });
  },
);

proves(
  ['instance:agent-summary/workflowName', 'instance:agent-summary/projectName'],
  'an agent names its workflow and project by their names',
  async () => {
    const { agent, project } = await made();
    expect(await summaryOf(agent.id)).toMatchObject({ workflowName: 'Count and tell', projectName: project.name });
  },
);

proves(
  ['instance:agent-summary/artifacts', 'instance:agent-summary/artifacts#type', 'instance:GET /agents/{id}.2'],
  'an agent names the files that it reads and the artifacts that it made',
  async () => {
    const { agent, files } = await made();
    expect(agent.activeFileIds).toEqual(files);
    expect(agent.artifacts!.map(({ type, name }) => [type, name])).toEqual([
      ['TABLE', 'orders.csv: count by status'],
      ['MARKDOWN_DOCUMENT', 'Summary'],
    ]);
    expect((await summaryOf(agent.id))!.artifacts).toEqual(agent.artifacts);
  },
);

proves(
  ['instance:agent-detail/1', 'instance:agent-detail/1#activeFileIds'],
  'the detail of an agent is its summary, with its files, its parent and its model',
  async () => {
    const { agent } = await made();
    const whole = await summaryOf(agent.id);
    expect(agent).toEqual({ ...whole, activeFileIds: agent.activeFileIds, parentSessionId: null, model: 'auto' });
    expect(Object.keys(whole!)).not.toContain('activeFileIds');
    await detail('activeFileIds.*', uuid)();
  },
);

/** An agent whose provider has failed once and is asked again later. */
const retried = once(async () => {
  await place().api.post('/__control/agents', { failures: { left: 1 } });
  const { id } = await launched(owner(), 'Summarise: ships sail.');
  await expect.poll(async () => (await owner().invoke('instance.agents.get', { id })).retry).toBeTruthy();
  return summaryOf(id);
});
const retry = answered(retried);

proves(['instance:agent-summary/retry#kind'], 'a retry has a kind', retry('retry.kind', text));
proves(['instance:agent-summary/retry#category'], 'a retry has a category', retry('retry.category', z.literal('overloaded')));
proves(['instance:agent-summary/retry#nextRetryAt'], 'a retry says when it comes', retry('retry.nextRetryAt', time));
proves(['instance:agent-summary/retry#attemptCount'], 'a retry says how many failed', retry('retry.attemptCount', z.literal(1)));
proves(['instance:agent-summary/retry#provider'], 'a retry names the provider', retry('retry.provider', text));
proves(['instance:agent-summary/retry#model'], 'a retry names the model', retry('retry.model', z.literal('auto')));
proves(['instance:agent-summary/retry#reason'], 'a retry says why', retry('retry.reason', text));

proves(
  ['instance:agent-summary/retry', 'instance:agent-summary/retry#operatorActionRequired'],
  'a retry stands while it is waited for, and where nobody tries again it asks for somebody',
  async () => {
    const waiting = (await retried())!;
    expect([waiting.status, waiting.retry!.operatorActionRequired]).toEqual(['running', false]);
    await place().api.post('/__control/clock', { offsetSeconds: 31 });
    expect(await ended(owner(), waiting.id)).toMatchObject({ status: 'finished', retry: null });
    await place().api.post('/__control/clock', { offsetSeconds: 0 });
    await place().api.post('/__control/agents', { failures: { left: 1, category: 'authentication', again: false } });
    const { id } = await launched(owner(), 'Summarise: ships sail.');
    expect(await ended(owner(), id)).toMatchObject({ status: 'failed', retry: { operatorActionRequired: true } });
  },
);

/** An agent with sub-agents, a thought, a failed turn and one that went on. */
const talked = once(async () => {
  const { id } = await launched(owner(), 'Count the orders by status. Use sub-agents for each file.', { 'a.csv': orders, 'b.csv': orders });
  await ended(owner(), id);
  await place().api.post('/__control/agents', { failures: { left: 1, category: 'authentication', again: false } });
  await owner().invoke('instance.agents.followup', { id, prompt: { text: 'Summarise.' } });
  await seen(owner(), id, 'failed');
  return { id, messages: await messagesOf(owner(), id, true) };
});
const spoken = answered(async () => (await talked()).messages);
const ofType = (type: string) => answered(async () => (await talked()).messages.filter((each) => each.type === type));

proves(['instance:conversation-message/1#id'], 'every message has an id', spoken('*.id', text));
proves(['instance:conversation-message/1#createdAt'], 'every message says when it was said', spoken('*.createdAt', time));
proves(['instance:conversation-message/user-assistant-error#text'], 'prompts, words and errors have a text', async () => {
  for (const type of ['user', 'assistant', 'error']) await ofType(type)('*.text', text)();
});
proves(['instance:conversation-message/thinking#redacted'], 'a thought says whether it is hidden', ofType('thinking')('*.redacted', flag));
proves(['instance:conversation-message/thinking#text'], 'a thought has a text', ofType('thinking')('*.text', text));
proves(['instance:conversation-message/tool#toolName'], 'a tool has a name', ofType('tool')('*.toolName', text));
proves(['instance:conversation-message/tool#status'], 'a tool has a status', ofType('tool')('*.status', z.literal('completed')));
proves(
  ['instance:conversation-message/tool#subAgentIds', 'instance:conversation-message/tool'],
  'a tool names the sub-agents that it has started, which name their parent',
  async () => {
    const { id, messages } = await talked();
    const ids = messages.flatMap(({ subAgentIds }) => subAgentIds ?? []);
    expect(ids).toHaveLength(2);
    for (const sub of ids) expect(await owner().invoke('instance.agents.get', { id: sub })).toMatchObject({ parentSessionId: id });
    for (const each of messages.filter(({ type }) => type === 'tool'))
      expect(Object.keys(each).toSorted()).toEqual(['createdAt', 'id', 'status', 'subAgentIds', 'toolName', 'type']);
  },
);

proves(
  ['instance:conversation-message/1', 'instance:conversation-message/user-assistant-error', 'instance:conversation-message/thinking'],
  'messages have a type, and the fields of their type alone',
  async () => {
    const fieldsOf = { user: ['text'], assistant: ['text'], error: ['text'], thinking: ['redacted', 'text'] };
    const { messages } = await talked();
    for (const [type, fields] of Object.entries(fieldsOf)) {
      const some = messages.filter((each) => each.type === type);
      expect([type, some.length > 0]).toEqual([type, true]);
      for (const each of some) expect(Object.keys(each).toSorted()).toEqual(['createdAt', 'id', 'type', ...fields].toSorted());
    }
  },
);

proves(
  ['instance:conversation-message/2', 'instance:GET /agents/{id}/conversation#include-default'],
  'without steps a conversation is prompts, words and errors',
  async () => {
    const { id } = await talked();
    const said = await messagesOf(owner(), id);
    expect(said.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'error']);
    expect(await owner().invoke('instance.agents.conversation', { id, include: [] })).toMatchObject({ messages: said });
  },
);

proves(
  [
    'instance:GET /agents/{id}/conversation.1',
    'instance:GET /agents/{id}/conversation#messages',
    'instance:GET /agents/{id}/conversation#id',
  ],
  'a conversation is one line from the first prompt to the last word, with what was between where it is asked for',
  async () => {
    const { id, messages } = await talked();
    const { id: named, messages: said } = await owner().invoke('instance.agents.conversation', { id });
    expect(named).toBe(id);
    const withSteps = messages.filter(({ id: message }) => said.some((each) => each.id === message));
    expect(withSteps).toEqual(said);
    expect(said[0]!.text).toMatch(/^Count/);
    const times = messages.map(({ createdAt }) => createdAt!);
    expect(times).toEqual(times.toSorted());
    expect(new Set(messages.map((each) => each.id)).size).toBe(messages.length);
  },
);

proves(
  ['instance:conversation-message/3', 'instance:conversation-message/compaction'],
  'thoughts, tools and compactions are shown where steps are asked for; before a compaction nothing is known that tools have found',
  async () => {
    const { id } = await launched(owner(), 'Summarise in 1 sentence.', { 'long.txt': 'Ships sail over the sea. '.repeat(8_000) });
    await ended(owner(), id);
    await owner().invoke('instance.agents.followup', { id, prompt: { text: 'Extract the emails.' } });
    await ended(owner(), id);
    const all = await messagesOf(owner(), id, true);
    const at = all.findIndex(({ type }) => type === 'compaction');
    expect(Object.keys(all[at]!).toSorted()).toEqual(['createdAt', 'id', 'type']);
    expect(all[at + 1]).toMatchObject({ type: 'user', text: 'Extract the emails.' });
    const toolsOf = (messages: typeof all) => messages.flatMap(({ toolName }) => toolName ?? []);
    expect([toolsOf(all.slice(0, at)).includes('read_file'), toolsOf(all.slice(at)).includes('read_file')]).toEqual([true, true]);
    expect(new Set((await messagesOf(owner(), id)).map(({ type }) => type))).toEqual(new Set(['user', 'assistant']));
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(['user', 'assistant', 'thinking', 'tool', 'compaction']));
  },
);

const usageOf = (id: string) => owner().invoke('instance.agents.usage', { id });
const usage = answered(async () => usageOf((await made()).agent.id));

proves(['instance:agent-usage/1#model'], 'what was spent is by model', usage('spend.*.model', text));
proves(['instance:agent-usage/1#costUsd'], 'a cost is a number', usage('spend.*.costUsd', number.positive()));
proves(['instance:agent-usage/1#inputTokens'], 'tokens that were read are counted', usage('spend.*.inputTokens', whole.positive()));
proves(['instance:agent-usage/1#outputTokens'], 'tokens that were written are counted', usage('spend.*.outputTokens', whole.positive()));
proves(
  ['instance:agent-usage/1#cacheCreationTokens'],
  'tokens that were put into a cache are counted',
  usage('spend.*.cacheCreationTokens', whole),
);
proves(
  ['instance:agent-usage/1#cacheReadTokens'],
  'tokens that were read from a cache are counted',
  usage('spend.*.cacheReadTokens', whole.positive()),
);
proves(['instance:agent-usage/1#data.id'], 'the usage of an agent has its id', async () => {
  const { id } = (await made()).agent;
  expect((await usageOf(id)).id).toBe(id);
});

proves(
  ['instance:agent-usage/1', 'instance:agent-usage/2'],
  'one entry for each model holds what an agent and its sub-agents have used',
  async () => {
    const { id, messages } = await talked();
    const { spend } = await usageOf(id);
    expect(spend.map(({ model }) => model)).toEqual(['built-in']);
    const subs = await Promise.all(messages.flatMap(({ subAgentIds }) => subAgentIds ?? []).map(usageOf));
    const cents = subs.map(({ spend: [only] }) => only!.costUsd);
    expect(cents.every((each) => each > 0)).toBe(true);
    expect(spend[0]!.costUsd).toBeGreaterThan(cents.reduce((sum, each) => sum + each, 0));
  },
);

proves(['instance:agent-usage/3'], 'to read, export and search beside an agent costs its run nothing', async () => {
  const { id, artifacts } = (await made()).agent;
  const before = await usageOf(id);
  await owner().invoke('instance.agents.export', { id, artifactId: artifacts![0]!.id, format: 'xlsx' });
  await owner().invoke('instance.codes.search', { query: 'doors', jurisdiction: 'harborland', codeType: 'building' });
  await messagesOf(owner(), id, true);
  expect(await usageOf(id)).toEqual(before);
});

proves(['instance:agent-usage/4'], 'the sum over the models is what the budget was charged, to the cent', async () => {
  const { id: projectId } = await newProject(owner());
  const { id: budget } = await owner().invoke('instance.budgets.create', { projectId, amountCents: 1_000 });
  const prompt = { text: `Summarise: ${'ships sail and many more words. '.repeat(4_000)}` };
  const { id } = await owner().invoke('instance.agents.launch', { prompt, projectId });
  await ended(owner(), id);
  const total = (await usageOf(id)).spend.reduce((sum, { costUsd }) => sum + costUsd, 0);
  const { spentCents } = (await owner().invoke('instance.budgets.get', { id: budget })).funding;
  expect(spentCents).toBeGreaterThan(0);
  expect(Math.abs(spentCents - total * 100)).toBeLessThanOrEqual(0.5 + 1e-9);
});

const artifactsOf = once(async () => {
  const { id, artifacts } = (await made()).agent;
  const read = (type: string) =>
    owner().invoke('instance.agents.artifact', { id, artifactId: artifacts!.find((each) => each.type === type)!.id });
  return { table: await read('TABLE'), document: await read('MARKDOWN_DOCUMENT') };
});
const table = answered(async () => (await artifactsOf()).table);

proves(['instance:artifact/1#type'], 'an artifact has a type', table('type', z.literal('TABLE')));
proves(['instance:artifact/1#version', 'instance:versioning/4'], 'an artifact has a version', table('version', z.literal(1)));
proves(['instance:artifact/1'], 'an artifact has these fields', async () => {
  const { table: found } = await artifactsOf();
  expect(Object.keys(found).toSorted()).toEqual(['content', 'createdAt', 'id', 'name', 'type', 'version']);
  await table('id', uuid)();
  await table('name', text)();
  await table('createdAt', time)();
});
proves(['instance:artifact/3'], 'a document is a text', async () => {
  expect((await artifactsOf()).document).toMatchObject({ type: 'MARKDOWN_DOCUMENT', content: expect.stringContaining('Ships') });
});
proves(['instance:artifact/4'], 'a table is its schema and its elements', async () => {
  expect((await artifactsOf()).table.content).toEqual({
    schema: [
      { name: 'status', type: 'string' },
      { name: 'count', type: 'number' },
    ],
    elements: [
      { status: 'open', count: 2 },
      { status: 'paid', count: 1 },
    ],
  });
});

/** An agent whose table has two versions. */
const twice = once(async () => {
  const { id } = await launched(owner(), 'Count the orders by status.', { 'twice.csv': orders });
  await ended(owner(), id);
  await owner().invoke('instance.agents.followup', { id, prompt: { text: 'Count the orders by status once more.' } });
  const { artifacts } = await ended(owner(), id);
  return { id, artifactId: artifacts![0]!.id };
});

proves(
  ['instance:artifact/2', 'instance:versioning/5', 'instance:GET /agents/{id}/artifacts/{artifactId}/exports#version'],
  'an artifact is read in its latest version, and exported in any that is named',
  async () => {
    const of = await twice();
    expect((await owner().invoke('instance.agents.artifact', of)).version).toBe(2);
    const versionOf = async (version?: number) =>
      (await owner().invoke('instance.agents.export', { ...of, format: 'csv', ...(version === undefined ? {} : { version }) })).version;
    expect([await versionOf(), await versionOf(1), await versionOf(2)]).toEqual([2, 1, 2]);
  },
);

const exported = once(async () => owner().invoke('instance.agents.export', { ...(await twice()), format: 'xlsx' }));
const file = answered(exported);

proves(['instance:export/1#version'], 'an export names its version', file('version', z.literal(2)));
proves(['instance:export/1#expiresAt'], 'an export says when its URL ends', file('expiresAt', time));
proves(
  ['instance:export/1', 'instance:GET /agents/{id}/artifacts/{artifactId}/exports.1'],
  'an export of a table has these fields',
  async () => {
    const { artifactId } = await twice();
    expect(await exported()).toEqual({
      id: artifactId,
      name: 'twice.csv: count by status',
      type: 'TABLE',
      version: 2,
      format: 'xlsx',
      mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      filename: 'twice.csv-count-by-status-v2.xlsx',
      url: expect.stringMatching(/^http:/),
      expiresAt: expect.any(String),
      fileVersionId: null,
      annotationCount: null,
    });
  },
);

/** A review of two drawings, and the version of the second one. */
const reviewed = once(async () => {
  const drawing = (name: string, text: string) => readyFile(owner(), name, new Uint8Array(pdfOf([[{ x: 72, y: 700, text }]])));
  const plan = await drawing('plan.pdf', 'Door widths TBD by owner.');
  const section = await drawing('section.pdf', 'Beam depth: verify on site.');
  const prompt = { text: 'Review the drawings.' };
  const { id } = await owner().invoke('instance.agents.launch', { prompt, fileIds: [plan.id, section.id] });
  const { artifacts } = await ended(owner(), id);
  return { review: { id, artifactId: artifacts![0]!.id }, fileVersionId: section.fileVersionId };
});

proves(
  ['instance:export/1#fileVersionId', 'instance:GET /agents/{id}/artifacts/{artifactId}/exports#fileVersionId'],
  'the PDF of a review of several files is about one of them where its version is named',
  async () => {
    const { review, fileVersionId } = await reviewed();
    const of = { ...review, format: 'drawing_review_pdf' as const };
    expect(await owner().invoke('instance.agents.export', of)).toMatchObject({ fileVersionId: null, annotationCount: 2 });
    const one = await owner().invoke('instance.agents.export', { ...of, fileVersionId });
    expect(one).toMatchObject({ fileVersionId, annotationCount: 1 });
    const pages = (await pagesOf(new Uint8Array(await (await fetch(one.url)).arrayBuffer()))).join('\n');
    expect([pages.includes('Beam depth'), pages.includes('Door widths')]).toEqual([true, false]);
    expect((await fetch(one.url.replace(/\/[\w-]+\?/, '/all?'))).status).toBe(403);
    for (const wrong of [
      { ...of, fileVersionId: '6f9619ff-8b86-4011-b42d-00c04fc964ff' },
      { ...(await twice()), format: 'csv' as const, fileVersionId },
    ])
      await expect(owner().invoke('instance.agents.export', wrong)).rejects.toMatchObject({ status: 400 });
  },
);

proves(
  ['instance:export/1#format', 'instance:export/1#annotationCount', 'instance:GET /agents/{id}/artifacts/{artifactId}/exports#format'],
  'a table is exported as csv or xlsx, and a review of drawings as an annotated PDF that counts its remarks',
  async () => {
    const of = await twice();
    for (const format of ['csv', 'xlsx'] as const)
      expect(await owner().invoke('instance.agents.export', { ...of, format })).toMatchObject({ format, annotationCount: null });
    const { review } = await reviewed();
    const made = await owner().invoke('instance.agents.export', { ...review, format: 'drawing_review_pdf' });
    expect(made).toMatchObject({ format: 'drawing_review_pdf', annotationCount: 2 });
    expect((await (await fetch(made.url)).text()).slice(0, 5)).toBe('%PDF-');
    for (const [artifact, format] of [
      [of, 'drawing_review_pdf'],
      [review, 'csv'],
    ] as const)
      await expect(owner().invoke('instance.agents.export', { ...artifact, format })).rejects.toMatchObject({ status: 400 });
  },
);

proves(['instance:GET /agents/{id}/artifacts/{artifactId}/exports#version-default'], 'without a version it is the latest', async () => {
  const { url } = await owner().invoke('instance.agents.export', { ...(await twice()), format: 'csv' });
  expect(url).toContain('/2/csv/all?');
  expect(await (await fetch(url)).text()).toBe('status,count\nopen,2\npaid,1\n');
});

proves(
  ['instance:limits/signed-export-url-lifetime-five-minutes', 'instance:GET /agents/{id}/artifacts/{artifactId}/exports.2'],
  'the URL of an export is taken for five minutes and no longer',
  async () => {
    const at = Date.now();
    const { url, expiresAt } = await owner().invoke('instance.agents.export', { ...(await twice()), format: 'csv' });
    expect(Math.abs(Date.parse(expiresAt!) - at - 300_000)).toBeLessThan(60_000);
    const statusAfter = async (offsetSeconds: number) => {
      await place().api.post('/__control/clock', { offsetSeconds });
      return (await fetch(url)).status;
    };
    expect(await statusAfter(240)).toBe(200);
    expect(await statusAfter(400)).toBe(403);
    expect(await statusAfter(0)).toBe(200);
    expect((await fetch(url.replace('/csv/', '/xlsx/'))).status).toBe(403);
  },
);
