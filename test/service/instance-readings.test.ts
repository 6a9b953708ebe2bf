import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Readings } from '../../contracts/assumptions/index.ts';
import { launch } from '../../contracts/instance/agents.ts';
import type { Calls } from '../../client/invoke.ts';
import { callsOf, createApi, createWorld, unlimited, type Api, type World } from './world.ts';

let world: World;
let api: Api;
let calls: Calls;
beforeAll(async () => {
  world = await createWorld({ agents: { pace: { from: 36_000, to: 36_000 } } });
  await world.service.listen();
  api = createApi(world.service.fetch, 'http://127.0.0.1', world.service.adminKeys.instance);
  calls = callsOf(world, world.service.adminKeys.instance);
});
beforeEach(() => unlimited(world));
afterEach(async () => void (await control('readings/reset', {})));
afterAll(async () => world[Symbol.asyncDispose]());

const control = async (path: string, body: object) => (await world.api.post(`/__control/${path}`, body)).body;
const assume = (readings: Partial<Readings>) => control('readings', readings);
const launched = async (text = 'Summarise: ships sail.'): Promise<string> =>
  (await calls.invoke('instance.agents.launch', { prompt: { text } })).id;
const listed = async () => (await calls.invoke('instance.agents.list', { limit: 100 })).data.map(({ id }) => id);

test('agents come from the newest, or from the oldest, on every page', async () => {
  for (let at = 0; at < 5; at++) await launched();
  const newest = await listed();
  await assume({ 'agent-order': 'oldest' });
  const pages: string[] = [];
  for await (const { data } of calls.pages('instance.agents.list', { limit: 2 })) pages.push(...data.map(({ id }) => id));
  expect(pages).toEqual(newest.toReversed());
});

test.each(['newest', 'oldest'] as const)('a launch whose answer was lost is found where agents come %s first', async (order) => {
  await assume({ 'agent-order': order });
  const input = launch.input.parse({ prompt: { text: 'Summarise: ships sail.' } });
  for (let at = 0; at < 103; at++) await launched();
  const before = await launch.lookup.before!(input, calls.call);
  expect(await launch.lookup.find(input, before, calls.call)).toBe('absent');
  const id = await launched();
  expect(await launch.lookup.find(input, before, calls.call)).toMatchObject({ answer: { id } });
  expect(await launch.lookup.made!(input, before, calls.call)).toEqual([id]);
});

test('a launch with a folder in a slot is refused, and not taken for absent where a service takes its files instead', async () => {
  const requestedFiles = [{ name: 'papers', multiple: true }];
  const { id: workflowId } = await calls.invoke('instance.workflows.create', {
    name: 'reads',
    instructionMarkdown: 'Read.',
    requestedFiles,
  });
  const { id: folder } = await calls.invoke('instance.files.tempFolder', {});
  const files: string[] = [];
  for (const name of ['one.txt', 'two.txt']) {
    const file = new File([name], name);
    files.push((await calls.invoke('instance.files.upload', { file, parentId: folder, path: name })).id);
  }
  const launchOf = (...papers: string[]) => ({ workflowId, workflowInputs: { papers } });
  const { status, body } = await api.post('/api/v0/agents', launchOf(folder));
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`${folder} is a folder`)]);

  const lookUp = async (papers: string, before: readonly string[]) =>
    launch.lookup.find(launch.input.parse(launchOf(papers)), before, calls.call);
  const before = await launch.lookup.before!(launch.input.parse(launchOf(folder)), calls.call);
  expect(await lookUp(folder, before)).toBe('absent');
  // What a service shows that takes the files of the folder.
  const { id } = await calls.invoke('instance.agents.launch', launchOf(files[0]!));
  expect(await lookUp(folder, before)).toEqual({ unknown: expect.stringContaining(id) });
  // A file is shown as itself: an agent that does not show it was not given it.
  expect(await lookUp(files[1]!, before)).toBe('absent');

  // A key of agents may not ask what is a file: a launch by it is none the worse, and one whose answer was lost is undecided.
  const { key } = await control('keys', { service: 'instance', name: 'agents', scopes: ['developer:agent'] });
  const agents = callsOf(world, key);
  const other = launch.input.parse(launchOf(files[1]!));
  expect(await launch.lookup.made!(other, before, agents.call)).toEqual([]);
  expect(await launch.lookup.find(other, before, agents.call)).toEqual({ unknown: expect.stringContaining(id) });
});

test('what an agent has not is null, or is left out, and both are read', async () => {
  const id = await launched();
  const of = async () => (await api.get(`/api/v0/agents/${id}`)).body.data;
  expect(await of()).toMatchObject({ retry: null, parentSessionId: null, workflowId: null });
  await assume({ 'absent-values': 'left-out' });
  for (const field of ['retry', 'parentSessionId', 'workflowId']) expect(await of()).not.toHaveProperty(field);
  expect(await calls.invoke('instance.agents.get', { id })).toMatchObject({ id, activeFileIds: [] });
});

test('a file that is still processed is refused at a launch, or taken', async () => {
  const { id: hold } = await control('faults', { operation: 'file.ingesting', do: { hold: 'before' } });
  const { id } = await calls.invoke('instance.files.upload', { file: new File(['%PDF-1.7'], 'held.pdf') });
  const status = async () => (await api.post('/api/v0/agents', { prompt: { text: 'Read.' }, fileIds: [id] })).status;
  const refused = await status();
  await assume({ 'unready-file': 'taken' });
  expect([refused, await status()]).toEqual([400, 201]);
  await control('release', { id: hold });
});

test('a follow-up that comes too early is a conflict, or a bad request', async () => {
  const id = await launched();
  const status = async () => (await api.post(`/api/v0/agents/${id}/followup`, { prompt: { text: 'More.' } })).status;
  const conflict = await status();
  await assume({ 'early-followup': 'bad-request' });
  expect([conflict, await status()]).toEqual([409, 400]);
});

test('what is deleted is not found, or deleted once more', async () => {
  const id = await launched();
  const status = async (of = id) => (await api.send('DELETE', `/api/v0/agents/${of}`)).status;
  expect([await status(), await status()]).toEqual([200, 404]);
  await assume({ 'second-agent-deletion': 'succeeds' });
  expect([await status(), await status('00000000-0000-4000-8000-000000000000')]).toEqual([200, 404]);
});

test('a jurisdiction that nobody knows has no results, or is not found', async () => {
  const search = (jurisdiction: string) => api.post('/api/v0/codes/search', { query: 'door', jurisdiction, codeType: 'building' });
  expect((await search('nowhere')).body).toEqual({ results: [] });
  await assume({ 'unknown-jurisdiction': 'not-found' });
  expect([(await search('nowhere')).status, (await search('harborland')).status]).toEqual([404, 200]);
});

test('a project keeps an administrator, or loses the last', async () => {
  const { id } = await calls.invoke('instance.projects.create', { name: 'kept' });
  const [me] = (await calls.invoke('instance.projects.members', { id })).data;
  const status = async () => (await api.post(`/api/v0/projects/${id}/members`, { members: [{ user: me!.id, role: null }] })).status;
  const kept = await status();
  await assume({ 'last-administrator': 'removed' });
  expect([kept, await status()]).toEqual([409, 200]);
  expect((await calls.invoke('instance.projects.members', { id })).data).toEqual([]);
});

test('a viewer of a project launches nothing on its budget and adds no workflow to it, or does as a member', async () => {
  const { id: projectId } = await calls.invoke('instance.projects.create', { name: 'read' });
  const { id: user } = await control('users', { name: 'Vera', email: 'vera@example.com' });
  const { key } = await control('keys', { service: 'instance', name: 'vera', scopes: ['developer'], user });
  const vera = createApi(world.service.fetch, 'http://127.0.0.1', key);
  const become = (role: 'editor' | 'viewer' | null) =>
    calls.invoke('instance.projects.setMembers', { id: projectId, members: [{ user, role }] });
  const status = async (path: string, body: object) => (await vera.post(`/api/v0/${path}`, body)).status;
  const launches = () => status('agents', { prompt: { text: 'Summarise: ships sail.' }, projectId });
  const adds = () => status('workflows', { name: 'w', projectId });
  await become('editor');
  const agent = (await vera.post('/api/v0/agents', { prompt: { text: 'Summarise: ships sail.' }, projectId })).body.data.id;
  expect((await vera.post(`/api/v0/agents/${agent}/stop`, {})).status).toBe(200);
  await expect.poll(async () => (await vera.get(`/api/v0/agents/${agent}`)).body.data.status).toBe('stopped');
  const goesOn = () => status(`agents/${agent}/followup`, { prompt: { text: 'More.' } });
  await become('viewer');
  expect([await launches(), await adds(), await goesOn()]).toEqual([403, 403, 403]);
  await become(null);
  expect([await launches(), await adds(), await goesOn()]).toEqual([404, 404, 404]);
  await become('viewer');
  await assume({ 'viewer-spends': 'taken' });
  expect([await launches(), await adds(), await goesOn()]).toEqual([201, 201, 200]);
});

test('who is disabled is disabled once more, or that is a conflict', async () => {
  const { id } = await control('users', { name: 'Ada', email: 'ada@example.com' });
  const status = async () => (await api.post(`/api/v0/users/${id}/disable`, { reason: 'left' })).status;
  expect([await status(), await status()]).toEqual([200, 200]);
  await assume({ 'second-disabling': 'conflict' });
  expect(await status()).toBe(409);
});

test('the codes of budgets come with statuses of their own, or all with one, and mean the same', async () => {
  const { id: projectId } = await calls.invoke('instance.projects.create', { name: 'paid' });
  const create = () => calls.invoke('instance.budgets.create', { projectId, amountCents: 1 });
  await create();
  const refused = async () =>
    create().then(
      () => undefined,
      (error: object) => error,
    );
  expect(await refused()).toMatchObject({ status: 409, code: 'budget_exists', nothingHappened: true });
  await assume({ 'budget-statuses': 'bad-request' });
  expect(await refused()).toMatchObject({ status: 400, code: 'budget_exists', nothingHappened: true, remedy: expect.any(String) });
});

test('too many requests are refused by one status or the other, and waited for under both', async () => {
  const listing = async () =>
    calls.invoke('instance.projects.list', {}).then(
      () => undefined,
      (error: object) => error,
    );
  for (const [reading, status] of [
    ['too-many', 429],
    ['unavailable', 503],
  ] as const) {
    await assume({ 'throttle-status': reading });
    await control('limits', { class: 'instance/standard', count: 0, seconds: 30 });
    const fresh = callsOf(world, world.service.adminKeys.instance);
    expect((await api.get('/api/v0/projects')).status).toBe(status);
    expect(
      await fresh.invoke('instance.projects.list', {}).then(
        () => undefined,
        (error: object) => error,
      ),
    ).toMatchObject({ name: 'Throttled', status });
    await control('limits', { class: 'instance/standard', count: null });
  }
  expect(await listing()).toBeUndefined();
});
