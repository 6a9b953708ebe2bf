import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Calls } from '../../client/invoke.ts';
import { dollars } from '../../text/money.ts';
import { chromium, openBrowser, type BrowserPage } from '../support/chromium.ts';
import { createControl, type Control } from '../support/control.ts';
import { callsOf, createWorld, unlimited, type World } from './world.ts';
import { readyFile } from '../support/ready-file.ts';

const canary = `</td><script>alert(1)</script><img src=x onerror="alert('2')">`;
const orders = 'order,status,amount\n1,open,10.5\n2,paid,20\n3,open,4.5\n';

let world: World;
let url: string;
let control: Control;
let invoke: Calls['invoke'];

beforeAll(async () => {
  world = await createWorld({ agents: { pace: { from: 0, to: 0 } } });
  ({ url } = await world.service.listen());
  ({ invoke } = callsOf(world, world.service.adminKeys.instance));
  control = createControl(() => world.service.url);
  await unlimited(world);
});
afterAll(() => world?.[Symbol.asyncDispose]());

const page = async (path: string): Promise<{ status: number; text: string; headers: Headers }> => {
  const answer = await fetch(`${url}${path}`);
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
};
const send = (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });

async function ended(id: string, ...statuses: string[]): Promise<void> {
  const awaited = statuses.length > 0 ? statuses : ['finished', 'stopped', 'failed'];
  while (!awaited.includes((await invoke('instance.agents.get', { id })).status)) await new Promise((resolve) => setTimeout(resolve, 20));
}
async function launch(text: string, files: Record<string, string> = {}): Promise<string> {
  const fileIds = [];
  for (const [name, content] of Object.entries(files)) fileIds.push((await readyFile({ invoke }, name, content)).id);
  return (await invoke('instance.agents.launch', { prompt: { text }, fileIds })).id;
}

test('an agent is listed with its status, and its page has what was said and done, its table, its cost and its files', async () => {
  const id = await launch('Count the orders by status.', { 'orders.csv': orders });
  await ended(id);
  expect((await page('/agents')).text).toMatch(new RegExp(`data-agent="${id}" data-status="finished"[^]*href="/agents/${id}"`));
  const { text } = await page(`/agents/${id}`);
  expect(text).toMatch(/Prompt [^]*Count the orders by status\.[^]*\d steps?: [^]*Agent /);
  expect(text).toMatch(/<th scope="col">status<\/th><th scope="col">count<\/th>[^]*<td>open<\/td><td class="n">2<\/td>/);
  const { spend } = await invoke('instance.agents.usage', { id });
  expect(text).toContain(`<td>${spend[0]!.model}</td>`);
  expect(text).toContain(`<td class="n">${spend[0]!.inputTokens!.toLocaleString('en-US')}</td>`);
  expect(text).toContain('May read: orders.csv');
  const [, csv] = /href="(\/agents\/[^"]+\/csv)"/.exec(text)!;
  expect(await (await fetch(`${url}${csv}`)).text()).toContain('open,2');
});

test('a follow-up and a stop are sent by the forms of the page, through the API, and are journalled there', async () => {
  const id = await launch('Summarise: ships sail. Ships sink.');
  await ended(id);
  const sent = await send(`/agents/${id}/followup`, { prompt: 'Count the words of this: one two three.' });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `/agents/${id}`]);
  await ended(id);
  const { messages } = await invoke('instance.agents.conversation', { id });
  expect(messages.filter(({ type }) => type === 'user').map(({ text }) => text)).toEqual([
    'Summarise: ships sail. Ships sink.',
    'Count the words of this: one two three.',
  ]);

  const asks = await launch('Ask me which ship is meant.');
  await ended(asks, 'awaiting_tool');
  expect((await page(`/agents/${asks}`)).text).toContain(`action="/agents/${asks}/stop"`);
  // What the API refuses the page refuses with its words: a follow-up is for an agent that has ended.
  const early = await send(`/agents/${asks}/followup`, { prompt: 'Go on.' });
  expect([early.status, await early.text()]).toEqual([409, expect.stringContaining('role="alert"')]);
  expect((await send(`/agents/${asks}/stop`)).status).toBe(303);
  await ended(asks, 'stopped');
  expect((await page('/journal')).text).toContain('instance.agents.stop');
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['no form', { 'content-type': 'text/plain' }, 415],
])('%s stops no agent', async (_, headers, status) => {
  const id = await launch('Ask me which ship is meant.');
  await ended(id, 'awaiting_tool');
  expect((await send(`/agents/${id}/stop`, {}, headers)).status).toBe(status);
  expect((await invoke('instance.agents.get', { id })).status).toBe('awaiting_tool');
});

test('what is markup stays text in conversations, artifacts, files, projects, workflows and budgets', async () => {
  const agent = await launch(`Count the rows by kind. ${canary}`, { 'evil.csv': `kind,name\n"${canary.replaceAll('"', '""')}",a\n` });
  await ended(agent);
  const { id: project } = await invoke('instance.projects.create', { name: canary, description: canary });
  const { id: workflow } = await invoke('instance.workflows.create', { name: canary, description: canary, instructionMarkdown: canary });
  const name = canary.replaceAll('/', '');
  const { id: file } = await invoke('instance.files.upload', { file: new File(['x'], name), path: name });
  await invoke('instance.budgets.create', { projectId: project, amountCents: 100 });
  const paths = ['/agents', `/agents/${agent}`, '/projects', `/projects/${project}`, '/workflows', `/workflows/${workflow}`];
  for (const path of [...paths, '/files', `/files/${file}`, '/budgets']) {
    const { text, status } = await page(path);
    expect(status, path).toBe(200);
    expect(text.replace(/<script type="module" nonce[^]*<\/script>/, ''), path).not.toMatch(/<script|<img|onerror="/);
    expect(text, path).toContain('&lt;script&gt;alert(1)&lt;');
  }
});

test('files show their status and versions, and lists go on by cursor', async () => {
  for (const content of ['a\n1\n', 'a\n2\n'])
    await invoke('instance.files.upload', { file: new File([content], 'twice.csv'), path: 'twice.csv' });
  const { data } = await invoke('instance.files.search', { query: 'twice' });
  expect((await page('/files?q=twice')).text).toMatch(/<td class="n">2<\/td>/);
  expect((await page(`/files/${data[0]!.id}`)).text.match(/<code>[0-9a-f]{16}<\/code>/g)).toHaveLength(2);
  const names = Array.from({ length: 51 }, (_, at) => `row-${String(at).padStart(2, '0')}.txt`);
  for (const name of names) await invoke('instance.files.upload', { file: new File([name], name), path: name });
  const seen = async (path: string): Promise<string[]> => {
    const { text } = await page(path);
    const next = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    return [...text.matchAll(/>(row-\d\d\.txt)</g)].map(([, name]) => name!).concat(next ? await seen(next) : []);
  };
  expect(await seen('/files?q=row-')).toEqual(names.toReversed());
});

test('a workflow shows its versions with runs and costs, and a form releases one of them', async () => {
  const { id, versionId } = await invoke('instance.workflows.create', { name: 'Count', instructionMarkdown: 'Count the rows.' });
  const { id: agent } = await invoke('instance.agents.launch', { workflowId: id, prompt: { text: 'Count the words: one two.' } });
  await ended(agent);
  const second = await invoke('instance.workflows.update', { workflowId: id, instructionMarkdown: 'Count them twice.' });
  const before = await page(`/workflows/${id}`);
  expect(before.text).toMatch(/Release version 2[^]*<td class="n">0<\/td>[^]*Release version 1[^]*<td class="n">1<\/td><td class="n">\$/);
  expect((await send(`/workflows/${id}/release`, { version: second.versionId })).status).toBe(303);
  const after = await page(`/workflows/${id}?version=${versionId}`);
  expect(after.text).toMatch(/>released<[^]*Release version 1/);
  expect(after.text).toContain('Count the rows.');
});

test('budgets are bars of what is spent, reserved for projects, and left; members have theirs', async () => {
  const before = (await invoke('instance.budgets.get', { id: 'organization' })).funding;
  const { id: projectId } = await invoke('instance.projects.create', { name: 'harbour' });
  const { id } = await invoke('instance.budgets.create', {
    projectId,
    amountCents: 50_000,
    memberLimits: { enabled: true, defaultCents: 1_000, period: 'weekly' },
  });
  await world.api.post('/__control/runs', { run: 'run-1', projectId, nanoUsd: 12_340_000_000 });
  const { text } = await page('/budgets');
  const { data } = await invoke('instance.budgets.list', { scope: 'project' });
  expect(text).toContain(`${dollars(data.reduce((sum, { funding }) => sum + funding.amountCents, 0))} reserved for projects`);
  expect(text).toContain(`${dollars(before.remainingCents - 50_000)} left`);
  expect(text).toContain('$12.34 spent · $487.66 left of $500.00');
  const one = await page(`/budgets/${id}`);
  expect(one.text).toMatch(/\$12\.34[^]*\$10\.00[^]*class="over"/);
  expect((await page(`/projects/${projectId}`)).text).toMatch(/\$487\.66 left[^]*<td>admin<\/td>/);
  expect((await page('/budgets/none')).status).toBe(404);
});

describe.runIf(chromium)('in a browser', () => {
  let browser: { page: BrowserPage; close(): Promise<void> };
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('a status follows the agent without a load, a follow-up is written and sent, and a stop is one press', async () => {
    await control.agents({ pace: { from: 3_000, to: 6_000 } });
    const id = await launch('Summarise: ships sail. Ships sink.');
    await ended(id, 'running');
    const { page: shown } = browser;
    await shown.goto(`${url}/agents`);
    await shown.value('void (window.sameLoad = true)');
    await control.agents({ pace: { from: 0, to: 0 } });
    await control.clock(10_000);
    await shown.until(`document.querySelector('[data-agent="${id}"]').textContent === 'finished'`);
    expect(await shown.value('window.sameLoad')).toBe(true);

    await shown.goto(`${url}/agents/${id}`);
    await shown.value(
      `document.querySelector('textarea').value = 'Ask me which ship is meant.'; document.querySelector('form.prompt button').click()`,
    );
    await shown.until(
      `document.querySelector('.status')?.dataset.status === 'awaiting_tool' && document.querySelector('form.prompt').action.endsWith('/stop')`,
    );
    await shown.value(`document.querySelector('form.prompt button').click()`);
    await shown.until(`document.querySelector('.status')?.dataset.status === 'stopped'`);
    expect(await shown.value('document.body.textContent')).toContain('Ask me which ship is meant.');
    await control.clock(0);
  });

  test('no page is wider than a phone, and none breaks its own policy', async () => {
    const { data: agents } = await invoke('instance.agents.list', { limit: 1 });
    const { data: budgets } = await invoke('instance.budgets.list', {});
    const { data: projects } = await invoke('instance.projects.list', {});
    const { data: workflows } = await invoke('instance.workflows.list', {});
    await browser.page.resize(390, 844);
    const lists = ['/agents', '/workflows', '/projects', '/files', '/budgets'];
    const single = [
      `/agents/${agents[0]!.id}`,
      `/workflows/${workflows[0]!.id}`,
      `/projects/${projects[0]!.id}`,
      `/budgets/${budgets[0]!.id}`,
    ];
    for (const path of [...lists, ...single]) {
      await browser.page.goto(`${url}${path}`);
      expect(await browser.page.value('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(390);
    }
    expect(browser.page.problems).toEqual([]);
  });
});
