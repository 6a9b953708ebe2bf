import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi, createWorld, unlimited, type Api, type World } from './world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  world = await createWorld();
  await unlimited(world);
  api = createApi(world.service.fetch, 'http://127.0.0.1', world.service.adminKeys.instance);
});
afterAll(async () => world[Symbol.asyncDispose]());

const control = async (path: string, body: object) => (await world.api.post(`/__control/${path}`, body)).body;
const person = async (name: string): Promise<{ id: string; api: Api }> => {
  const { id } = await control('users', { name, email: `${name}@example.com` });
  const { key } = await control('keys', { service: 'instance', name, scopes: ['developer'], user: id });
  return { id, api: createApi(world.service.fetch, 'http://127.0.0.1', key) };
};
const project = async (by = api): Promise<string> => (await by.post('/api/v0/projects', { name: 'bridge' })).body.data.id;
const members = async (id: string) => (await api.get(`/api/v0/projects/${id}/members`)).body.data as { id: string; role: string }[];
const set = (id: string, entries: object[], by = api) => by.post(`/api/v0/projects/${id}/members`, { members: entries });

test('a batch of members with one bad row writes none of them', async () => {
  const id = await project();
  const ada = await person('ada');
  const before = await members(id);
  const unknown = '00000000-0000-4000-8000-000000000000';
  const refused = await set(id, [
    { user: ada.id, role: 'editor' },
    { user: unknown, role: 'viewer' },
  ]);
  expect(refused).toMatchObject({ status: 400, body: { code: 'bad_request', issues: [{ path: ['members', 1, 'user'] }] } });
  expect(
    (
      await set(id, [
        { user: ada.id, role: 'editor' },
        { user: ada.id, role: 'viewer' },
      ])
    ).status,
  ).toBe(400);
  expect(
    (
      await set(id, [
        { user: ada.id, role: 'editor' },
        { user: before[0]!.id, role: null },
      ])
    ).status,
  ).toBe(409);
  expect(await members(id)).toEqual(before);
});

test('a list that was read can be sent back unchanged, and a member who is none can be removed', async () => {
  const id = await project();
  const [eve, joe] = [await person('eve'), await person('joe')];
  await set(id, [{ user: eve.id, role: 'viewer' }]);
  const read = await members(id);
  expect((await set(id, read)).body.data).toEqual(read);
  expect((await set(id, [{ user: joe.id, role: null }])).body.data).toEqual(read);
  const { rows } = (await world.api.get('/__control/journal')).body;
  const changes = rows.filter((row: any) => row.subject === `members of project/${id}`).map((row: any) => row.changed);
  expect(changes).toEqual([1, 0, 0]);
  await set(id, [{ user: eve.id, role: null }]);
  expect(await members(id)).toHaveLength(1);
});

test('null clears what can be empty, what is left out stays, and a name cannot be cleared', async () => {
  const { id } = (await api.post('/api/v0/projects', { name: 'a', description: 'b', projectNumber: 'c' })).body.data;
  await api.post(`/api/v0/projects/${id}`, { description: null });
  expect((await api.get(`/api/v0/projects/${id}`)).body.data).toMatchObject({ name: 'a', description: null, projectNumber: 'c' });
  expect((await api.post(`/api/v0/projects/${id}`, { name: null })).status).toBe(400);
});

test('the description of a workflow is cleared by null, and stays where it is left out', async () => {
  const { id } = (await api.post('/api/v0/workflows', { name: 'clear', description: 'Reads plans.' })).body.data;
  const described = async (change: object) => {
    expect((await api.post(`/api/v0/workflows/${id}`, change)).status).toBe(200);
    return (await api.get(`/api/v0/workflows/${id}`)).body.data.description;
  };
  expect(await described({ name: 'cleared' })).toBe('Reads plans.');
  expect(await described({ description: null })).toBeNull();
});

test('pages of members are of one order, whoever joins and leaves between them', async () => {
  const id = await project();
  const people = await Promise.all(Array.from({ length: 6 }, (_, at) => person(`crowd-${at}`)));
  const [later, ...first] = people;
  await set(
    id,
    first.map((each) => ({ user: each.id, role: 'viewer' })),
  );
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { data, nextCursor }: { data: { id: string }[]; nextCursor: string | null } = (
      await api.get(`/api/v0/projects/${id}/members?limit=2${cursor && `&cursor=${cursor}`}`)
    ).body;
    seen.push(...data.map((each) => each.id));
    cursor = nextCursor;
    await set(id, [{ user: later!.id, role: seen.length % 4 === 0 ? null : 'viewer' }]);
  }
  expect(new Set(seen).size).toBe(seen.length);
  for (const { id: user } of first) expect(seen).toContain(user);
  expect((await api.get(`/api/v0/projects/${id}/members?cursor=x`)).status).toBe(400);
  expect((await api.get(`/api/v0/projects/${id}/members?limit=101`)).status).toBe(400);
});

test('projects of others are seen by administrators alone, unless they are asked for their own', async () => {
  const kim = await person('kim');
  const theirs = await project(kim.api);
  const ids = async (by: Api, query: string) => {
    const { data, totalCount } = (await by.get(`/api/v0/projects?limit=100&${query}`)).body;
    expect(data).toHaveLength(totalCount);
    return data.map((each: { id: string }) => each.id);
  };
  expect(await ids(api, 'membership=any')).toContain(theirs);
  expect(await ids(api, 'membership=mine')).not.toContain(theirs);
  expect(await ids(kim.api, 'membership=any')).toEqual([theirs]);
  expect(await ids(kim.api, '')).toEqual(await ids(kim.api, 'membership=mine'));
  expect((await set(theirs, [], api)).status, 'an administrator of the organization is none of the project').toBe(403);
  expect((await api.post(`/api/v0/projects/${theirs}`, { description: 'by an administrator' })).status).toBe(200);
});

test('roles: a viewer reads, an editor reads, an admin changes, nobody else sees it', async () => {
  const id = await project();
  const roles = { viewer: await person('vi'), editor: await person('ed'), admin: await person('ad'), none: await person('no') };
  await set(
    id,
    (['viewer', 'editor', 'admin'] as const).map((role) => ({ user: roles[role].id, role })),
  );
  const statuses = async ({ api: by }: { api: Api }) => [
    (await by.get(`/api/v0/projects/${id}`)).status,
    (await by.get(`/api/v0/projects/${id}/members`)).status,
    (await by.post(`/api/v0/projects/${id}`, {})).status,
    (await set(id, [], by)).status,
  ];
  expect(await statuses(roles.viewer)).toEqual([200, 200, 403, 403]);
  expect(await statuses(roles.editor)).toEqual([200, 200, 403, 403]);
  expect(await statuses(roles.admin)).toEqual([200, 200, 200, 200]);
  expect(await statuses(roles.none)).toEqual([404, 404, 404, 404]);
});

const workflow = async (more: object = {}, by = api) =>
  (await by.post('/api/v0/workflows', { name: 'review', instructionMarkdown: 'one', ...more })).body.data;
const edit = async (id: string, body: object) => (await api.post(`/api/v0/workflows/${id}`, body)).body.data;
const release = async (id: string, versionId: string) =>
  (await api.post(`/api/v0/workflows/${id}/versions/${versionId}/release`)).body.data;
const versions = async (id: string) => (await api.get(`/api/v0/workflows/${id}/versions`)).body.data;

test('a draft is edited in place until an agent has run it; an edit of anything else is a new version', async () => {
  const { id, versionId } = await workflow();
  expect(await edit(id, { mode: 'high' })).toMatchObject({ versionId, version: 1, createdNewVersion: false });
  await control('runs', { run: 'first', versionId, nanoUsd: 20_000_000 });
  await control('runs', { run: 'second', versionId, nanoUsd: 40_000_000 });
  const second = await edit(id, { instructionMarkdown: 'two' });
  expect(second).toMatchObject({ version: 2, createdNewVersion: true });
  expect(await edit(id, { baseVersionId: versionId, model: 'small' })).toMatchObject({ version: 3, createdNewVersion: true });
  await release(id, (await versions(id))[0].id);
  expect(await edit(id, {})).toMatchObject({ version: 4, createdNewVersion: true });
  const detail = (await api.get(`/api/v0/workflows/${id}?versionId=${versionId}`)).body.data;
  expect(detail.version).toMatchObject({ mode: 'high', instructionMarkdown: 'one' });
  expect((await versions(id)).map((each: any) => [each.version, each.runCount, each.totalCostUsd, each.averageCostUsd])).toEqual([
    [4, 0, 0, null],
    [3, 0, 0, null],
    [2, 0, 0, null],
    [1, 2, 0.06, 0.03],
  ]);
});

test('releases go forward and back, and a version that was released is no draft any more', async () => {
  const { id, versionId: first } = await workflow();
  expect(await release(id, first)).toMatchObject({ version: 1, previousReleasedVersionId: null });
  const { versionId: second } = await edit(id, { mode: 'high' });
  expect(await release(id, second)).toMatchObject({ version: 2, previousReleasedVersionId: first });
  expect(await release(id, first)).toMatchObject({ releasedVersionId: first, previousReleasedVersionId: second });
  expect(await release(id, first)).toMatchObject({ releasedVersionId: first, previousReleasedVersionId: first });
  expect(await edit(id, {})).toMatchObject({ version: 3, createdNewVersion: true });
});

test('artifacts that are named by their id stay, and one of no version is refused', async () => {
  const { id, linkedArtifacts } = await workflow({ linkedArtifacts: [{ name: 'form', content: '# a' }] });
  const table = { schema: [{ name: 'door', type: 'string' }], elements: [{ door: 'D1' }] };
  const next = await edit(id, { linkedArtifacts: [{ id: linkedArtifacts[0].id }, { name: 'doors', content: table }] });
  expect(next.linkedArtifacts).toMatchObject([{ id: linkedArtifacts[0].id, name: 'form' }, { name: 'doors' }]);
  const { version } = (await api.get(`/api/v0/workflows/${id}`)).body.data;
  expect(version.linkedArtifacts).toMatchObject([{ type: 'MARKDOWN_DOCUMENT' }, { type: 'TABLE', content: table }]);
  for (const linkedArtifacts of [[{ id }], [{ name: 'x', content: 7 }]])
    expect((await api.post(`/api/v0/workflows/${id}`, { linkedArtifacts })).status).toBe(400);
});

test('a workflow is private until it is shared and released; then others see it in lists, and still do not edit it', async () => {
  const lea = await person('lea');
  const { id, versionId } = await workflow({ name: 'to be shared' });
  const seen = async () => (await lea.api.get('/api/v0/workflows?query=to%20be')).body.data.length;
  const counts = [await seen()];
  await control('share', { workflowId: id, shared: true });
  counts.push(await seen());
  await release(id, versionId);
  counts.push(await seen());
  expect(counts).toEqual([0, 0, 1]);
  expect((await lea.api.get(`/api/v0/workflows/${id}`)).status).toBe(404);
  expect((await lea.api.post(`/api/v0/workflows/${id}`, {})).status).toBe(404);
});

test('codes are found by words of any form, in their jurisdiction, type and year, with all phrases as they stand', async () => {
  const search = async (body: object) =>
    (await api.post('/api/v0/codes/search', { jurisdiction: 'harborland', codeType: 'building', ...body })).body.results.map(
      (each: any) => [each.file.code.year, each.citationId],
    );
  expect((await search({ query: 'ceiling heights of an office' }))[0]).toEqual([2024, '1208.2']);
  expect((await search({ query: 'ceiling heights of an office', year: 2021 }))[0]).toEqual([2021, '1208.2']);
  expect(await search({ query: 'ceiling', year: 1999 })).toEqual([]);
  expect(await search({ query: 'ceiling', jurisdiction: 'nowhere' })).toEqual([]);
  expect((await search({ query: 'sprinklers', codeType: 'Fire' }))[0]).toEqual([2024, '903.2']);
  expect(await search({ query: 'doors', keywords: ['direction of   travel'] })).toEqual([[2024, '1010.1']]);
  // Of a question of very many words the first ones count, and those of the phrases before them.
  const letter = (at: number): string => 'абвгдежзийклмнопрстуфхцчш'[at]!;
  const many = Array.from({ length: 600 }, (_, at) => letter(at % 25) + letter(Math.floor(at / 25))).join(' ');
  expect(await search({ query: many, keywords: ['direction of travel'] })).toEqual([[2024, '1010.1']]);
  const long = { query: 'doors', jurisdiction: 'harborland', codeType: 'building', keywords: [`${many} `.repeat(2)] };
  expect((await api.post('/api/v0/codes/search', long)).status).toBe(400);
  expect(await search({ query: 'doors', keywords: ['travel of direction'] })).toEqual([]);
  expect(await search({ query: 'building width ceiling door', limit: 2 })).toHaveLength(2);
  expect(await search({ query: '" * (' })).toEqual([]);
  expect(await search({ query: 'wind NEAR(' })).toEqual([[2024, '1609.1']]);
});
