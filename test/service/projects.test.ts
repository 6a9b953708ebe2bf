import { expect, test } from 'vitest';
import { RecordBatchReader } from 'apache-arrow';
import { addRows, createProject, createWorld } from './world.ts';

const unknown = '00000000-0000-4000-8000-000000000000';

test('a slug is made unique, and a project is found by it', async () => {
  await using world = await createWorld();
  const { api, organization } = world;
  const first = await createProject(world, 'Größe_der Schiffe');
  const second = await createProject(world, 'Größe_der Schiffe');
  expect([first.slug, second.slug]).toEqual(['groe-der-schiffe', 'groe-der-schiffe-2']);
  expect((await api.get(`/v1/project/${organization.slug}/${second.slug}`)).body.id).toBe(second.project_id);
  expect((await api.get(`/v1/project/${organization.slug}/project/${second.slug}`)).body.id).toBe(second.project_id);
  expect((await api.get(`/v1/project/${organization.slug}/nothing`)).status).toBe(404);
  expect((await api.get('/v1/project/')).body.projects.map(({ slug }: { slug: string }) => slug)).toEqual([first.slug, second.slug]);
});

test('a slug begins and ends with no dash', async () => {
  await using world = await createWorld();
  const slugs = [];
  for (const name of [' ships ', '_Ships_ (2)!', '- -']) slugs.push((await createProject(world, name)).slug);
  expect(slugs).toEqual(['ships', 'ships-2', 'untitled']);
});

test('a dataset that is named as a word of the addresses is found by its slugs, and the addresses still mean what they say', async () => {
  await using world = await createWorld();
  const { api, organization } = world;
  const { project_id, slug } = await createProject(world, 'resources');
  for (const kind of ['project', 'dataset']) {
    expect((await api.get(`/v1/${kind}/${organization.slug}/${slug}`)).body.id).toBe(project_id);
    for (const id of [project_id, project_id.toUpperCase()]) expect((await api.get(`/v1/${kind}/${id}/resources`)).body).toEqual([]);
  }
  expect((await api.post(`/v1/project/${organization.slug}/resources`, [])).status).toBe(422);
  expect((await api.send('DELETE', `/v1/project/${project_id}/resources`)).headers.get('allow')).toBe('GET, POST');
  expect((await api.get('/v1/project/no-id/last_modified')).status).toBe(422);

  const named = async (nickname: string) => (await api.post('/v1/organization/create', { nickname })).body.organization_id as string;
  const organization_id = await named('Search');
  const { slug: own } = (await api.get(`/v1/organization/${organization_id}`)).body;
  const made = await createProject({ api, organization: { organization_id, slug: own } }, 'id');
  expect([own, (await api.get(`/v1/project/${own}/${made.slug}`)).body.id]).toEqual(['search-2', made.project_id]);
  const renamed = await api.post('/v1/organization/update', { organization_id, new_organization_slug: 'sidebar' });
  expect([renamed.status, renamed.body.detail[0].msg]).toEqual([422, "'sidebar' is a word of the addresses of the API: take another name"]);
});

test('a project shows its fields, count and schema at once after an upload', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  const before = (await world.api.get(`/v1/project/${project_id}`)).body;
  expect(before).toMatchObject({ total_datums_in_project: 0, schema: null, modality: null, project_fields: [] });
  expect(before.created_timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  await addRows(world.api, project_id, 7);
  const after = (await world.api.get(`/v1/project/${project_id}`)).body;
  expect(after).toMatchObject({
    total_datums_in_project: 7,
    modality: 'text',
    unique_id_field: 'id',
    project_fields: ['id', 'text', 'year', 'score', 'when'],
  });
  const reader = RecordBatchReader.from(Buffer.from(after.schema, 'base64')).open();
  expect(reader.schema.fields.map(({ name, type }) => `${name} ${String(type)}`)).toEqual([
    'id Utf8',
    'text Utf8',
    'year Int32',
    'score Float32',
    'when Timestamp<MILLISECOND>',
  ]);
});

test('an update changes what is sent, needs equal ids and a free slug', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world, 'one');
  await createProject(world, 'two');
  const update = (body: object) => world.api.post(`/v1/project/update?project_id=${project_id}`, { id: project_id, ...body });
  expect((await update({ description: 'new' })).body).toEqual({ result: 'ok' });
  expect((await world.api.get(`/v1/project/${project_id}`)).body).toMatchObject({ description: 'new', project_name: 'one' });
  expect((await update({ slug: 'two' })).status).toBe(409);
  expect((await world.api.post(`/v1/project/update?project_id=${project_id}`, { id: unknown })).status).toBe(422);
  await update({ description: 'new' });
  await update({ description: 'other' });
  await update({ description: 'new' });
  expect((await world.api.get('/__control/journal')).body.summary).toMatchObject({ repeated: 0, harmless: 1 });
});

test('a removal succeeds twice, frees the slug and leaves the journal', async () => {
  await using world = await createWorld();
  const { api } = world;
  const { project_id, slug } = await createProject(world);
  await addRows(api, project_id, 5);
  for (let n = 0; n < 2; n += 1)
    expect(await api.post('/v1/project/remove', { project_id })).toMatchObject({ status: 200, body: { result: 'ok' } });
  expect((await api.get(`/v1/project/${project_id}`)).status).toBe(404);
  expect((await api.post('/v1/project/remove', { project_id: unknown })).status).toBe(404);
  expect((await createProject(world)).slug).toBe(slug);
  const { summary, rows } = (await api.get('/__control/journal')).body;
  expect(rows.map(({ operation, changed }: { operation: string; changed: number }) => [operation, changed])).toEqual([
    ['maps.projects.create', 1],
    ['maps.data.addArrow', 5],
    ['maps.projects.remove', 1],
    ['maps.projects.remove', 0],
    ['maps.projects.create', 1],
  ]);
  expect(summary).toEqual({ effects: 4, repeated: 0, harmless: 1 });
});

test('two blind creations count as a repeat', async () => {
  await using world = await createWorld();
  await createProject(world);
  await createProject(world);
  expect((await world.api.get('/__control/journal')).body.summary).toEqual({ effects: 2, repeated: 1, harmless: 0 });
});

test('an organization belongs to its creator, and others may not be used', async () => {
  await using world = await createWorld();
  const { body } = await world.api.post('/v1/organization/create', { nickname: 'Shipyard' });
  const { organizations } = (await world.api.get('/v1/user')).body;
  expect(organizations.at(-1)).toMatchObject({ organization_id: body.organization_id, slug: 'shipyard', access_role: 'OWNER' });
  expect((await world.api.post('/v1/project/create', { organization_id: unknown, project_name: 'x' })).status).toBe(403);
});
