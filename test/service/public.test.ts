import { expect, test } from 'vitest';
import { createApi, createMap, createProject, createWorld, indexOrder } from './world.ts';

test('a public dataset is read by everybody, with another key or with none, and changed by its members alone', async () => {
  await using world = await createWorld();
  const { id: user } = (await world.api.post('/__control/users', { name: 'Bea', email: 'bea@example.com' })).body;
  const { key } = (await world.api.post('/__control/keys', { service: 'maps', name: 'bea', user })).body;
  const bea = createApi(world.service.fetch, 'http://127.0.0.1', key);
  const { organization_id } = (await bea.post('/v1/organization/create', { nickname: 'Apiary' })).body;
  const { project_id, map } = await createMap({ api: bea, organization: { organization_id, slug: 'apiary' } });
  const { body: project } = await bea.get(`/v1/project/${project_id}`);
  const stranger = world.api;
  const nobody = createApi(world.service.fetch, 'http://127.0.0.1', null);
  const everything = { method: 'composition', conjunctor: 'ALL', filters: [] };
  const index = project.atlas_indices[0].id;
  const reads = [
    ['GET', `/v1/project/${project_id}`],
    ['GET', `/v1/project/${project.organization_slug}/${project.slug}`],
    ['GET', `/v1/project/${project_id}/last_modified`],
    ['GET', `/v1/project/projection/${map}/get/dataset_id`],
    ['GET', `/v1/project/projection/${map}/datums?qid=0-1&response_type=json`],
    ['POST', '/v1/project/data/get', { project_id, datum_ids: ['row-1'] }],
    ['POST', '/v1/query', { projection_id: map, selection: everything }],
    ['POST', '/v1/query/topk', { projection_id: map, k: 1, fields: ['id'], query: 'bread' }],
    ['POST', '/v1/project/data/get/nearest_neighbors/by_id', { atlas_index_id: index, datum_ids: ['row-1'] }],
  ] as const;
  const writes = [
    ['POST', '/v1/project/data/delete', { project_id, datum_ids: ['row-1'] }],
    ['POST', '/v1/query/update/tag/ids', { projection_id: map, tag_name: 't', ids: ['row-1'], operation: 'add', id_field: 'id' }],
    ['POST', '/v1/project/index/create', indexOrder(project_id)],
    ['POST', '/v1/project/remove', { project_id }],
  ] as const;
  const statuses = async (api: typeof nobody, calls: typeof reads | typeof writes): Promise<number[]> => {
    const found: number[] = [];
    for (const [method, path, body] of calls) found.push((await api.send(method, path, body)).status);
    return [...new Set(found)];
  };
  expect([await statuses(stranger, reads), await statuses(nobody, reads)]).toEqual([[403], [401]]);
  await bea.post(`/v1/project/update?project_id=${project_id}`, { id: project_id, is_public: true });
  expect([await statuses(stranger, reads), await statuses(nobody, reads)]).toEqual([[200], [200]]);
  expect([await statuses(stranger, writes), await statuses(nobody, writes)]).toEqual([[403], [401]]);
  expect((await nobody.get(`/v1/project/${project_id}`)).body).toMatchObject({
    access_role: 'VIEWER',
    permissions: { 'dataset:data:read': true, 'dataset:data:write': false },
  });
  // A key that is for another place reads what nobody needs one for.
  const own = world.organization.organization_id;
  const { body: scoped } = await stranger.post(`/v1/user/authorization/keys/${own}/create`, { key_name: 'of one place' });
  const elsewhere = createApi(world.service.fetch, 'http://127.0.0.1', scoped.key);
  expect([await statuses(elsewhere, reads), await statuses(elsewhere, writes)]).toEqual([[200], [403]]);
  // So does a key of its owner for another dataset, which changes nothing of this one either.
  const { project_id: other } = await createProject({ api: bea, organization: { organization_id, slug: 'apiary' } }, 'other');
  const order = { key_name: 'of another dataset', key_scope: 'DATASET', key_target_id: other };
  const { body: hers } = await bea.post(`/v1/user/authorization/keys/${organization_id}/create`, order);
  const beside = createApi(world.service.fetch, 'http://127.0.0.1', hers.key);
  expect([await statuses(beside, reads), await statuses(beside, writes)]).toEqual([[200], [403]]);
  expect((await nobody.get('/v1/project/00000000-0000-4000-8000-000000000000')).headers.get('www-authenticate')).toBe('Bearer');
  expect((await nobody.get(`/v1/organization/${project.organization_slug}`)).body.projects).toMatchObject([{ id: project_id }]);
});

test('privacy and is_public say one thing: who made a dataset private by either has it read by nobody else', async () => {
  await using world = await createWorld();
  const { api } = world;
  const nobody = createApi(world.service.fetch, 'http://127.0.0.1', null);
  const made = await createProject(world, 'open', { is_public: true });
  const update = async (changes: object): Promise<[number, number]> => {
    const { status } = await api.post(`/v1/project/update?project_id=${made.project_id}`, { id: made.project_id, ...changes });
    return [status, (await nobody.get(`/v1/project/${made.project_id}`)).status];
  };
  const said = async () => {
    const { privacy, is_public } = (await api.get(`/v1/project/${made.project_id}`)).body;
    return [privacy, is_public];
  };
  expect([await update({ description: 'of nothing else' }), await said()]).toEqual([
    [200, 200],
    ['public', true],
  ]);
  expect([await update({ privacy: 'private' }), await said()]).toEqual([
    [200, 401],
    ['private', false],
  ]);
  expect([await update({ is_public: true }), await said()]).toEqual([
    [200, 200],
    ['public', true],
  ]);
  expect([await update({ is_public: false }), await said()]).toEqual([
    [200, 401],
    ['private', false],
  ]);
  await update({ privacy: 'restricted' });
  expect([await update({ is_public: false }), await said()]).toEqual([
    [200, 401],
    ['restricted', false],
  ]);
  expect([await update({ privacy: 'public' }), await said()]).toEqual([
    [200, 200],
    ['public', true],
  ]);
  expect(await update({ privacy: 'private', is_public: true })).toEqual([422, 200]);
  expect(await update({ privacy: 'public', is_public: false })).toEqual([422, 200]);
  const { organization_id } = world.organization;
  const create = (more: object) => api.post('/v1/project/create', { organization_id, project_name: 'both', ...more });
  expect((await create({ is_public: true, privacy: 'private' })).status).toBe(422);
  const { body } = await create({ privacy: 'public' });
  expect((await nobody.get(`/v1/project/${body.project_id}`)).status).toBe(200);
});
