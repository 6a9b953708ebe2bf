import { expect, test } from 'vitest';
import { addRows, createApi, createMap, createProject, createWorld, indexOrder } from './world.ts';

test('a tile-row pair beyond 32 bits is unknown, not an error of the service', async () => {
  await using world = await createWorld();
  const { map } = await createMap(world);
  const asked = { qids: ['99999999999-0'], response_type: 'json' };
  expect(await world.api.post(`/v1/project/projection/${map}/datums`, asked)).toMatchObject({
    status: 404,
    body: { detail: 'unknown qids: 99999999999-0' },
  });
});

test.each([
  ['a model that is not there', { model: 'svc-embed-text-v9' }, 'model'],
  ['a model of images for a text', { model: 'svc-embed-vision-v1' }, 'indexed_field'],
  ['a field to colour by that is no column', { colorable_fields: ['colour'] }, 'colorable_fields'],
  [
    'an index to reuse that is not there',
    { reuse_atoms_and_embeddings_from: '00000000-0000-4000-8000-000000000000' },
    'reuse_atoms_and_embeddings_from',
  ],
  [
    'a topic field that is no column',
    { topic_model_hyperparameters: '{"community_description_target_field":"topic"}' },
    'topic_model_hyperparameters',
  ],
])('an index of %s is refused at once', async (_, more, field) => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 25);
  const { status, body } = await world.api.post('/v1/project/index/create', indexOrder(project_id, more));
  expect([status, body.detail[0].loc]).toEqual([422, ['body', field]]);
});

test('a number beyond float32 in the vector of a search is refused', async () => {
  await using world = await createWorld();
  const { map } = await createMap(world);
  const query = Array.from({ length: 768 }, () => 1e300);
  const { status, body } = await world.api.post('/v1/query/topk', { projection_id: map, k: 1, fields: ['id'], query });
  expect([status, body.detail[0].msg]).toEqual([422, 'a number beyond float32']);
});

test('a name in which nothing can be seen, or that fits no address, is refused wherever one is given', async () => {
  await using world = await createWorld();
  const { api, organization, service } = world;
  const { project_id, map } = await createMap(world);
  const organization_id = organization.organization_id;
  const instance = createApi(service.fetch, 'http://127.0.0.1', service.adminKeys.instance);
  const tag = { projection_id: map, tag_name: 'seen', ids: ['row-1'], operation: 'add', id_field: 'id' };
  const { tag_id } = (await api.post('/v1/query/update/tag/ids', tag)).body;
  /** Sends a name to each operation that takes one; where it was refused. */
  const refusals = async (name: string): Promise<Record<string, string>> => {
    const sent: [string, string, object][] = [
      ['organization', '/v1/organization/create', { nickname: name }],
      ['new nickname', '/v1/organization/update', { organization_id, new_organization_nickname: name }],
      ['new slug', '/v1/organization/update', { organization_id, new_organization_slug: name }],
      ['dataset', '/v1/project/create', { organization_id, project_name: name }],
      ['slug', '/v1/project/create', { organization_id, project_name: 'seen', slug: name }],
      ['new name', `/v1/project/update?project_id=${project_id}`, { id: project_id, project_name: name }],
      ['key', `/v1/user/authorization/keys/${organization_id}/create`, { key_name: name }],
      ['index', '/v1/project/index/create', indexOrder(project_id, { index_name: name })],
      ['tag by ids', '/v1/query/update/tag/ids', { ...tag, tag_name: name }],
      [
        'tag',
        '/v1/project/projection/tags/create',
        { project_id, projection_id: map, tag_name: name, tag_definition_id: `d${name.length}`, dsl_rule: '{}' },
      ],
      ['new tag name', '/v1/project/projection/tags/update', { tag_id, tag_name: name }],
    ];
    const found: Record<string, string> = {};
    for (const [what, path, body] of sent) {
      const answer = await api.post(path, body);
      found[what] = answer.status === 422 ? `422 ${answer.body.detail[0].loc.at(-1)}` : String(answer.status);
    }
    for (const [what, path] of [
      ['project', '/api/v0/projects'],
      ['workflow', '/api/v0/workflows'],
    ] as const)
      found[what] = String((await instance.post(path, { name, instructionMarkdown: 'read' })).status);
    return found;
  };
  const refused = {
    organization: '422 nickname',
    'new nickname': '422 new_organization_nickname',
    'new slug': '422 new_organization_slug',
    dataset: '422 project_name',
    slug: '422 slug',
    'new name': '422 project_name',
    key: '422 key_name',
    index: '422 index_name',
    'tag by ids': '422 tag_name',
    tag: '422 tag_name',
    'new tag name': '422 tag_name',
    project: '400',
    workflow: '400',
  };
  for (const name of ['', ' ', '\u00a0\t\n', '\ufeff', 'n'.repeat(501)]) expect([name, await refusals(name)]).toEqual([name, refused]);
  expect((await api.post('/v1/project/create', { organization_id, project_name: 'seen', unique_id_field: '' })).status).toBe(422);
  const longest = ' é'.repeat(250);
  const { project_id: made, slug } = await createProject(world, longest);
  expect((await api.get(`/v1/project/${organization.slug}/${slug}`)).body).toMatchObject({ id: made, project_name: longest });
});

test('a value that nests deeper than a handler can go is refused as one that a schema cannot read', async () => {
  await using world = await createWorld();
  const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
  const instance = createApi(world.service.fetch, 'http://127.0.0.1', world.service.adminKeys.instance);
  const { project_id } = await createProject(world);
  for (const [api, path, body] of [
    [
      world.api,
      `/v1/project/${project_id}/resources`,
      `[{"resource_type":"DATASET_CHECKPOINT","parameters":${nested(6_000, '{"a":', '}')}}]`,
    ],
    [instance, '/api/v0/workflows', `{"name":"deep","capabilities":{"a":${nested(9_000, '[', ']')}}}`],
  ] as const)
    expect((await api.post(path, new TextEncoder().encode(body), { 'content-type': 'application/json' })).status).toBeOneOf([400, 422]);
});
