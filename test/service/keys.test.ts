import { expect, onTestFinished, test, vi } from 'vitest';
import { createApi, createProject, createWorld, shardOf, type Answer, type World } from './world.ts';

const keyOf = async (world: World, name: string, more: object) => {
  const { status, body } = await world.api.post(`/v1/user/authorization/keys/${world.organization.organization_id}/create`, {
    key_name: name,
    ...more,
  });
  return { status, body, api: createApi(world.service.fetch, 'http://127.0.0.1', body?.key ?? '') };
};

test('a key of a dataset reaches this dataset by every id, and no other', async () => {
  await using world = await createWorld();
  const [mine, other] = [(await createProject(world, 'mine')).project_id, (await createProject(world, 'other')).project_id];
  const { api } = await keyOf(world, 'one', { key_scope: 'DATASET', key_target_id: mine });
  const add = (project: string) => api.send('POST', '/v1/project/data/add/arrow', shardOf(project, 20));
  expect((await api.get(`/v1/project/${mine}`)).status).toBe(200);
  expect((await add(mine)).status).toBe(200);
  expect((await api.get('/v1/user')).status).toBe(200);
  expect((await api.get(`/v1/project/${other}`)).status).toBe(403);
  expect((await add(other)).status).toBe(403);
  expect((await api.get(`/v1/project/${world.organization.slug}/other`)).status).toBe(403);
  expect((await api.get(`/v1/project/${world.organization.slug}/mine`)).status).toBe(200);
  for (const path of ['/v1/project/', `/v1/user/authorization/keys/${world.organization.organization_id}`])
    expect([path, (await api.get(path)).status]).toEqual([path, 403]);
  const index = {
    indexed_field: null,
    model: null,
    nearest_neighbor_index: null,
    projection: 'SvcProject',
    projection_hyperparameters: '{"model":"random"}',
  };
  const built = await api.post('/v1/project/index/create', { project_id: mine, ...index });
  expect((await api.get(`/v1/project/index/job/${built.body.job_id}`)).status).toBe(200);
  await world.api.send('POST', '/v1/project/data/add/arrow', shardOf(other, 20));
  const theirs = await world.api.post('/v1/project/index/create', { project_id: other, ...index });
  expect((await api.get(`/v1/project/index/job/${theirs.body.job_id}`)).status).toBe(403);
});

test('a key of an organization reaches nothing of another of its user', async () => {
  await using world = await createWorld();
  const elsewhere = (await world.api.post('/v1/organization/create', { nickname: 'elsewhere' })).body.organization_id as string;
  const there = { organization_id: elsewhere, project_name: 'there' };
  const project = (await world.api.post('/v1/project/create', there)).body.project_id as string;
  const { api } = await keyOf(world, 'home', {});
  expect((await api.get(`/v1/project/${(await createProject(world)).project_id}`)).status).toBe(200);
  expect((await api.get(`/v1/project/${project}`)).status).toBe(403);
  expect((await api.post('/v1/project/create', { ...there, project_name: 'more' })).status).toBe(403);
  const user = await keyOf(world, 'user', { key_scope: 'USER' });
  expect((await user.api.get(`/v1/project/${project}`)).status).toBe(200);
});

test('a key of an organization makes none that reaches further than itself', async () => {
  await using world = await createWorld();
  const home = world.organization.organization_id;
  const elsewhere = (await world.api.post('/v1/organization/create', { nickname: 'elsewhere' })).body.organization_id as string;
  const project = (await world.api.post('/v1/project/create', { organization_id: elsewhere, project_name: 'there' })).body
    .project_id as string;
  const mine = (await createProject(world)).project_id;
  const { api } = await keyOf(world, 'home', {});
  const make = async (name: string, more: object): Promise<number> =>
    (await api.post(`/v1/user/authorization/keys/${home}/create`, { key_name: name, ...more })).status;
  expect(await make('user', { key_scope: 'USER' })).toBe(403);
  expect(await make('other', { key_scope: 'ORGANIZATION', key_target_id: elsewhere })).toBe(403);
  expect(await make('implied', { key_target_id: elsewhere })).toBe(403);
  expect(await make('theirs', { key_scope: 'DATASET', key_target_id: project })).toBe(403);
  expect(await make('same', { key_scope: 'ORGANIZATION', key_target_id: home })).toBe(200);
  expect(await make('less', { key_scope: 'DATASET', key_target_id: mine })).toBe(200);
});

test('what does not fit together is refused, and a name is given once', async () => {
  await using world = await createWorld();
  expect((await keyOf(world, 'a', { key_scope: 'DATASET' })).status).toBe(422);
  expect((await keyOf(world, 'a', { key_scope: 'USER', key_role: 'OWNER' })).status).toBe(422);
  expect((await keyOf(world, 'a', { key_role: 'VIEWER' })).status).toBe(422);
  expect((await keyOf(world, 'a', {})).status).toBe(200);
  expect((await keyOf(world, 'a', {})).status).toBe(409);
});

test('fields that public clients send as null are taken as left out', async () => {
  await using world = await createWorld();
  const { organization_id } = world.organization;
  expect((await keyOf(world, 'of me', { key_scope: 'USER', key_target_id: null })).status).toBe(200);
  const made = await world.api.post('/v1/project/create', {
    organization_id,
    project_name: 'n',
    description: null,
    is_public: null,
    unique_id_field: 'id',
  });
  expect(made.status).toBe(201);
  await world.api.send('POST', '/v1/project/data/add/arrow', shardOf(made.body.project_id, 20));
  expect((await world.api.post('/v1/embedding/text', { texts: ['a'], task_type: null })).status).toBe(200);
  const index = await world.api.post('/v1/project/index/create', {
    project_id: made.body.project_id,
    indexed_field: 'text',
    colorable_fields: null,
    model: 'svc-embed-text-v1',
    nearest_neighbor_index: 'HNSWIndex',
    projection: 'SvcProject',
  });
  expect(index.status).toBe(200);
  // The map is not ready yet: what matters is that nulls are no findings.
  const all = { method: 'composition', conjunctor: 'ALL', filters: [], polarity: null };
  const topk = { projection_id: index.body.projection_id, k: 1, fields: ['id'], query: 'a', selection: null };
  expect((await world.api.post('/v1/query/topk', topk)).status).not.toBe(422);
  expect((await world.api.post('/v1/query', { projection_id: index.body.projection_id, selection: all })).status).not.toBe(422);
});

test('keys of other members are deleted by administrators alone, and nobody makes a key above itself', async () => {
  await using world = await createWorld();
  const { organization_id } = world.organization;
  const keys = `/v1/user/authorization/keys/${organization_id}`;
  const { id: user } = (await world.api.post('/__control/users', { name: 'Bea', email: 'bea@example.com' })).body;
  const { key } = (await world.api.post('/__control/keys', { service: 'maps', name: 'beas', user })).body;
  const bea = createApi(world.service.fetch, 'http://127.0.0.1', key);
  const owner = (await world.api.get('/v1/user')).body.sub as string;
  expect((await keyOf(world, 'ours', {})).status).toBe(200);
  expect((await keyOf(world, 'of one place', { key_scope: 'USER', key_target_id: organization_id })).status).toBe(422);
  const make = async (api: typeof bea, key_name: string, key_role?: string): Promise<number> =>
    (await api.post(`${keys}/create`, { key_name, key_role })).status;
  const remove = async (api: typeof bea, key_name: string, user_id: string): Promise<number> =>
    (await api.post(`${keys}/delete`, { key_name, user_id })).status;

  expect(await remove(bea, 'ours', owner)).toBe(403);
  expect([await make(bea, 'over', 'OWNER'), await make(bea, 'above', 'ADMIN'), await make(bea, 'same', 'MEMBER')]).toEqual([403, 403, 200]);
  expect(await remove(bea, 'same', user)).toBe(200);

  // A key of an owner with a lesser role is the lesser of both, and so is what it makes.
  const member = await keyOf(world, 'lesser', { key_role: 'MEMBER' });
  expect(await make(member.api, 'more', 'ADMIN')).toBe(403);
  const made = createApi(
    world.service.fetch,
    'http://127.0.0.1',
    (await member.api.post(`${keys}/create`, { key_name: 'child' })).body.key,
  );
  expect(await make(made, 'more', 'ADMIN')).toBe(403);
  expect(await remove(made, 'beas', user)).toBe(403);
  const admin = await keyOf(world, 'admin', { key_role: 'ADMIN' });
  expect([await make(admin.api, 'over', 'OWNER'), await make(admin.api, 'equal', 'ADMIN')]).toEqual([403, 200]);
  expect(await remove(admin.api, 'beas', user)).toBe(200);
  expect((await bea.get('/v1/user')).status).toBe(401);
});

test('a key shows its last use, to the minute', async () => {
  vi.useFakeTimers({ toFake: ['hrtime', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await using world = await createWorld();
  const { key } = (await world.api.post('/__control/keys', { service: 'instance', name: 'used', scopes: ['admin'] })).body;
  const api = createApi(world.service.fetch, 'http://127.0.0.1', key);
  const lastUse = async (): Promise<number> => {
    const { data } = (await api.get('/api/v0/api-keys')).body;
    return Date.parse(data.find((each: { name: string }) => each.name === 'used').lastUsedAt);
  };
  const first = await lastUse();
  vi.advanceTimersByTime(59_000);
  expect(await lastUse()).toBe(first);
  vi.advanceTimersByTime(1_000);
  expect(await lastUse()).toBe(first + 60_000);
});

test('keys that were made in one moment are listed once each, page by page', async () => {
  vi.useFakeTimers({ toFake: ['hrtime', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await using world = await createWorld();
  const make = async (at: number): Promise<string> =>
    (await world.api.post('/__control/keys', { service: 'instance', name: `key ${at}`, scopes: ['developer'] })).body.id;
  const made: string[] = [];
  for (let at = 0; at < 6; at += 1) made.push(await make(at));
  const api = createApi(world.service.fetch, 'http://127.0.0.1', world.service.adminKeys.instance);
  const seen: string[] = [];
  for (let path: string | undefined = '/api/v0/api-keys?limit=2'; path !== undefined;) {
    const { body }: Answer = await api.get(path);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    path = body.nextCursor === null ? undefined : `/api/v0/api-keys?limit=2&cursor=${body.nextCursor}`;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(new Set(made).difference(new Set(seen))).toEqual(new Set());
});
