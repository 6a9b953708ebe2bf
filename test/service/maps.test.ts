import { Field, FixedSizeList, Float32, Utf8, tableFromIPC } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { addRows, arrowFile, built, createMap, createProject, createWorld, indexOrder } from './world.ts';
import type { World } from './world.ts';

const unknown = '00000000-0000-4000-8000-000000000000';
const random = { indexed_field: null, model: null, projection_hyperparameters: '{"model":"random"}' };
const everything = { method: 'composition', conjunctor: 'ALL', filters: [] };
const create = (world: World, project_id: string, more = {}) => world.api.post('/v1/project/index/create', indexOrder(project_id, more));

describe('an index', () => {
  test('is refused below 20 rows and for a wrong field, before anything is written', async () => {
    await using world = await createWorld();
    const { project_id } = await createProject(world);
    await addRows(world.api, project_id, 19);
    expect(await create(world, project_id)).toMatchObject({
      status: 400,
      body: { detail: 'Your project has only 19 datums. Please add at least 20 datums!' },
    });
    expect(await create(world, project_id, { indexed_field: 'txt' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'indexed_field'] }] },
    });
    expect((await create(world, project_id, { indexed_field: 'year' })).status).toBe(422);
    expect((await create(world, project_id, { model: null })).status).toBe(422);
    expect((await create(world, project_id, { projection_hyperparameters: '{' })).status).toBe(422);
    expect((await world.api.get(`/v1/project/${project_id}`)).body.atlas_indices).toEqual([]);
  });

  test('obeys what it is ordered with, and refuses what it cannot', async () => {
    await using world = await createWorld();
    const { project_id } = await createMap(world);
    const { body: before } = await world.api.get(`/v1/project/${project_id}/last_modified`);
    const index = (await world.api.get(`/v1/project/${project_id}`)).body.atlas_indices[0].id as string;
    const refused = async (field: string, value: unknown, more: object = {}) =>
      expect(await create(world, project_id, { [field]: value, ...more })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', field] }] },
      });
    await refused('upload_checkpoint', before.checkpoint + 1);
    await refused('latest_addition_timestamp', before.latest_addition_timestamp - 1);
    await refused('reuse_atoms_and_embeddings_from', unknown);
    await refused('reuse_atoms_and_embeddings_from', index, { model: 'svc-embed-text-v1.5' });
    await refused('atomizer_strategies', ['charchunk']);
    await refused('geometry_strategies', [['charchunk']]);
    await refused('atomizer_strategies', ['document', 'sentence']);
    await refused('build_from_versioned_dataset', true);
    await refused('build_map_using_resources', true);
    const made = await create(world, project_id, {
      upload_checkpoint: before.checkpoint,
      latest_addition_timestamp: before.latest_addition_timestamp,
      reuse_atoms_and_embeddings_from: index,
      atomizer_strategies: ['document', 'charchunk'],
      geometry_strategies: null,
      topic_model_hyperparameters: '{"build_topic_model":true}',
      duplicate_detection_hyperparameters: '{"tag_duplicates":true}',
    });
    expect([made.status, made.headers.get('x-atlaswarning')]).toEqual([200, null]);
    expect((await world.api.get(`/v1/project/index/job/${made.body.job_id}`)).body.total_atoms_remaining_to_embed).toBe(0);
    expect(await built(world.api, made.body.job_id)).toBe('Completed');
    const best = async (projection_id: string) =>
      (await world.api.post('/v1/query/topk', { projection_id, k: 5, fields: ['id'], query: 'bread' })).body;
    const { maps } = (await world.api.get(`/v1/project/${project_id}`)).body;
    expect(await best(made.body.projection_id)).toEqual(await best(maps[0].projection_id));
    const plain = await create(world, project_id, { index_name: 'plain' });
    expect([plain.status, plain.headers.get('x-atlaswarning')]).toEqual([200, null]);
    await built(world.api, plain.body.job_id);
  });

  test('is listed and locks the dataset at once, and frees it when it is complete', async () => {
    await using world = await createWorld();
    const { project_id } = await createProject(world);
    await addRows(world.api, project_id, 2_000);
    const { body } = await create(world, project_id);
    const project = (await world.api.get(`/v1/project/${project_id}`)).body;
    expect(project).toMatchObject({
      insert_update_delete_lock: true,
      atlas_indices: [{ index_name: 'map', projections: [{ id: body.projection_id, ready: false }] }],
      maps: [{ projection_id: body.projection_id, ready: false, error: null, total_data_points: null }],
    });
    expect(await addRows(world.api, project_id, 1, { from: 2_000 })).toMatchObject({
      status: 409,
      body: { detail: 'Project transaction lock is held' },
    });
    expect((await create(world, project_id, { index_name: 'other' })).status).toBe(409);
    expect(await world.api.post('/v1/query', { projection_id: body.projection_id, selection: everything })).toMatchObject({
      status: 400,
      body: { detail: 'map is not ready' },
    });
    const atoms = { project_id, index_id: project.atlas_indices[0].id, atom_ids: ['row-1'] };
    expect(await world.api.post('/v1/project/atoms/get', atoms)).toMatchObject({ status: 400, body: { detail: 'map is not ready' } });
    expect(await built(world.api, body.job_id)).toBe('Completed');
    expect((await world.api.get(`/v1/project/index/job/progress/${project.atlas_indices[0].id}`)).body).toMatchObject({
      result: 100,
      job_end_timestamp: expect.any(String),
    });
    expect((await addRows(world.api, project_id, 1, { from: 2_000 })).status).toBe(200);
  });

  test('with random coordinates needs no text, and cannot be searched by meaning', async () => {
    await using world = await createWorld();
    const { map, stage } = await createMap(world, 60, random);
    expect(stage).toBe('Completed');
    expect((await world.api.post('/v1/query', { projection_id: map, selection: everything })).body).toHaveLength(60);
    expect((await world.api.post('/v1/query/topk', { projection_id: map, k: 1, fields: [], query: 'bread' })).status).toBe(400);
  });

  test('built twice blindly counts as a repeat, and not when it was removed between', async () => {
    await using world = await createWorld();
    const { project_id } = await createMap(world);
    await built(world.api, (await create(world, project_id)).body.job_id);
    const repeated = async () => (await world.api.get('/__control/journal')).body.summary.repeated;
    expect(await repeated()).toBe(1);
    const { atlas_indices } = (await world.api.get(`/v1/project/${project_id}`)).body;
    const remove = (index_id: string) => world.api.post('/v1/project/index/remove', { project_id, index_id });
    expect((await remove(atlas_indices[0].id)).body).toEqual({ result: 'ok' });
    expect((await remove(atlas_indices[0].id)).status).toBe(200);
    expect((await remove(unknown)).status).toBe(404);
    await built(world.api, (await create(world, project_id)).body.job_id);
    expect(await repeated()).toBe(1);
  });

  test('that fails says why, and frees the dataset', async () => {
    // Nothing listens there: embedding fails for good.
    await using world = await createWorld({
      embedding: { provider: 'openai', url: 'http://127.0.0.1:9/v1', model: 'none', retries: 0 } as never,
    });
    const { project_id, stage } = await createMap(world);
    expect(stage).toBe('Failed');
    expect((await world.api.get(`/v1/project/${project_id}`)).body).toMatchObject({
      insert_update_delete_lock: false,
      maps: [{ ready: false, error: expect.stringMatching(/./) }],
    });
  });
});

describe('search', () => {
  test('by text and vector, best first, within a selection applied first', async () => {
    await using world = await createWorld();
    const { map } = await createMap(world, 90);
    const topk = async (more: object) => world.api.post('/v1/query/topk', { projection_id: map, k: 10, fields: ['id', 'year'], ...more });
    const { embeddings } = (await world.api.post('/v1/embedding/text', { texts: ['storm number 2'], task_type: 'search_query' })).body;
    const byText = (await topk({ query: 'storm number 2' })).body.data;
    expect((await topk({ query: embeddings[0] })).body.data.map(({ id }: { id: string }) => id)).toEqual(
      byText.map(({ id }: { id: string }) => id),
    );
    expect(byText[0].id).toBe('row-2');
    const similarity = byText.map(({ _similarity }: { _similarity: number }) => _similarity);
    expect(similarity).toEqual([...similarity].sort((a: number, b: number) => b - a));
    const selection = { ...everything, filters: [{ method: 'range', field: 'year', range: [1950, 1952] }] };
    expect((await topk({ query: 'storm number 2', selection })).body.data.map(({ year }: { year: number }) => year).sort()).toEqual([
      1950, 1951, 1952,
    ]);
  });

  test('refuses a vector of another length, an unknown column and an unknown map', async () => {
    await using world = await createWorld();
    const { map } = await createMap(world);
    const topk = (more: object) => world.api.post('/v1/query/topk', { projection_id: map, k: 1, fields: ['id'], query: 'a', ...more });
    expect((await topk({ query: [1, 2, 3] })).status).toBe(422);
    expect((await topk({ fields: ['nothing'] })).status).toBe(422);
    expect((await topk({ projection_id: unknown })).status).toBe(404);
    expect((await topk({ k: 1_001 })).status).toBe(422);
    expect((await topk({ selection: { ...everything, filters: [{ method: 'range', field: 'nothing', range: [0, 1] }] } })).status).toBe(
      422,
    );
  });

  test('takes a selection of any depth, and names the filter that is wrong', async () => {
    await using world = await createWorld();
    const { map } = await createMap(world);
    const post = (selection: string, more = '') =>
      world.api.post(`/v1/query${more && '/topk'}`, new TextEncoder().encode(`{"projection_id":"${map}","selection":${selection}${more}}`));
    const open = (conjunctor: string) => `{"method":"composition","conjunctor":"${conjunctor}","filters":[`;
    const leaf = '{"method":"category","field":"id","values":["row-7"]}';
    const chain = `${open('ALL').repeat(20_000)}${leaf}${']}'.repeat(20_000)}`;
    expect((await post(chain)).body).toEqual(['row-7']);
    // Each level says something: of the ends of the range, one is without the row, so that its neighbours alone are left.
    const without = (row: number) => `{"method":"category","field":"id","values":["row-${row}"],"polarity":false},`;
    const plus = (row: number) => `{"method":"category","field":"id","values":["row-${row}"]},`;
    const levels = 1_300;
    const alternating = `${Array.from({ length: levels }, (_, at) => (at % 2 ? `${open('ANY')}${plus(at % 40)}` : `${open('ALL')}${without(at % 40)}`)).join('')}${leaf}${']}'.repeat(levels)}`;
    // The levels outside have the last word: odd rows below 40 are put in, even ones are taken away.
    const ids = (await post(alternating)).body as string[];
    expect(ids.toSorted()).toEqual(Array.from({ length: 20 }, (_, at) => `row-${2 * at + 1}`).toSorted());
    const searched = await post(alternating, ',"k":60,"fields":["id"],"query":"a ship"');
    expect(searched.body.data.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
    const wrong = (filter: string) => post(`${open('ALL').repeat(3)}${leaf},${filter}${']}'.repeat(3)}`);
    const at = ['body', 'selection', 'filters', 0, 'filters', 0, 'filters', 1];
    expect((await wrong('{"method":"range","field":"year","range":[1]}')).body.detail).toMatchObject([{ loc: [...at, 'range'] }]);
    expect((await wrong('{"method":"regexp"}')).body.detail).toMatchObject([
      { loc: [...at, 'method'], msg: 'must be composition, search, range or category' },
    ]);
    expect((await wrong('{"method":"search","field":"text","query":"x","semanticSearch":true}')).body.detail).toMatchObject([
      { loc: at, msg: expect.stringContaining('semanticSearch') },
    ]);
    expect((await post(leaf)).body.detail).toMatchObject([{ loc: ['body', 'selection', 'method'], msg: 'must be composition at the top' }]);
  });

  test('in own vectors is by their length', async () => {
    await using world = await createWorld();
    const { project_id } = await createProject(world, 'own');
    const rows = Array.from({ length: 40 }, (_, row) => row);
    await world.api.post(
      '/v1/project/data/add/arrow',
      arrowFile(
        { project_id },
        {
          id: { type: new Utf8(), values: rows.map(String) },
          _embeddings: {
            type: new FixedSizeList(2, new Field('item', new Float32(), true)),
            values: rows.map((row) => [Math.cos(row / 10), Math.sin(row / 10)]),
          },
        },
      ),
    );
    const { body } = await create(world, project_id, { indexed_field: null, model: null });
    expect(await built(world.api, body.job_id)).toBe('Completed');
    const answer = await world.api.post('/v1/query/topk', {
      projection_id: body.projection_id,
      k: 3,
      fields: ['id'],
      query: [Math.cos(1.2), Math.sin(1.2)],
    });
    expect(answer.body.data[0].id).toBe('12');
    // A row that came after the map was made is no point of it, however near it is.
    await world.api.post(
      '/v1/project/data/add/arrow',
      arrowFile(
        { project_id },
        {
          id: { type: new Utf8(), values: ['late'] },
          _embeddings: { type: new FixedSizeList(2, new Field('item', new Float32(), true)), values: [[Math.cos(1.2), Math.sin(1.2)]] },
        },
      ),
    );
    const again = await world.api.post('/v1/query/topk', {
      projection_id: body.projection_id,
      k: 3,
      fields: ['id'],
      query: [Math.cos(1.2), Math.sin(1.2)],
    });
    expect(again.body).toEqual(answer.body);
    expect(
      (await world.api.post('/v1/query/topk', { projection_id: body.projection_id, k: 3, fields: ['id'], query: 'text' })).status,
    ).toBe(422);
  });

  test('and selections see the rows of the map, not those that came later', async () => {
    await using world = await createWorld();
    const { project_id, map } = await createMap(world, 30);
    await addRows(world.api, project_id, 10, { from: 30 });
    expect((await world.api.post('/v1/query', { projection_id: map, selection: everything })).body).toHaveLength(30);
  });
});

describe('tags', () => {
  test.each([
    ['optional', 'id', 200],
    ['required', 'id', 422],
    ['reversed', 'id', 200],
    ['optional', null, 200],
    ['required', null, 200],
    ['reversed', null, 422],
  ])('without an id field, where it is %s and the configured one is %s: %i', async (reading, unique_id_field, status) => {
    await using world = await createWorld({ assume: { 'id-field': reading as 'optional' } });
    const { project_id } = await createProject(world, 'tagged', { unique_id_field });
    const values = Array.from({ length: 20 }, (_, at) => `t${at}`);
    const columns = { ...(unique_id_field ? { id: { type: new Utf8(), values } } : {}), text: { type: new Utf8(), values } };
    await world.api.post('/v1/project/data/add/arrow', arrowFile({ project_id }, columns));
    const { body } = await create(world, project_id);
    await built(world.api, body.job_id);
    const ids = [unique_id_field ? 't1' : 'AQ'];
    const tag = { projection_id: body.projection_id, tag_name: 'blue', ids, operation: 'add' };
    const answer = await world.api.post('/v1/query/update/tag/ids', tag);
    expect(answer.status).toBe(status);
    if (status === 422) expect(answer.body.detail).toMatchObject([{ loc: ['body', 'id_field'] }]);
    expect((await world.api.post('/v1/query/update/tag/ids', { ...tag, id_field: unique_id_field ?? 'id_' })).body.points_tagged).toBe(1);
  });

  test('are set and taken by id; repeats change nothing; the points found are counted', async () => {
    await using world = await createWorld();
    const { map } = await createMap(world);
    const tag = (ids: string[], operation: string, more = {}) =>
      world.api.post('/v1/query/update/tag/ids', { projection_id: map, tag_name: 'blue', ids, operation, id_field: 'id', ...more });
    expect(await tag(['row-1'], 'remove')).toMatchObject({ status: 404 });
    const first = await tag(['row-1', 'row-2', 'row-2', 'ghost'], 'add');
    expect(first.body).toMatchObject({ success: true, points_tagged: 2 });
    expect((await tag(['row-1', 'row-2', 'row-2', 'ghost'], 'add')).body).toEqual(first.body);
    expect((await tag(['row-1', 'row-2'], 'remove')).body).toEqual(first.body);
    expect((await tag(['row-1', 'row-2', 'row-2', 'ghost'], 'add')).body).toEqual(first.body);
    for (const id_field of ['text', undefined]) expect((await tag(['row-1'], 'add', { id_field })).status).toBe(422);
    const { rows, summary } = (await world.api.get('/__control/journal')).body;
    expect(
      rows
        .filter(({ operation }: { operation: string }) => operation === 'maps.tags.update')
        .map(({ changed }: { changed: number }) => changed),
    ).toEqual([3, 0, 2, 2]);
    expect(summary).toMatchObject({ repeated: 0, harmless: 1 });
  });
});

describe('datums', () => {
  test('come by tile and row in the order asked for, as JSON and as Arrow', async () => {
    await using world = await createWorld();
    const { map } = await createMap(world);
    const post = (more: object) => world.api.post(`/v1/project/projection/${map}/datums`, { qids: ['0-3', '0-1'], ...more });
    const json = await post({ response_type: 'json', columns: ['id', 'when'] });
    expect(json.body).toHaveLength(2);
    expect(Object.keys(json.body[0])).toEqual(['id', 'when']);
    const read = await world.api.get(`/v1/project/projection/${map}/datums?qid=0-3&qid=0-1&columns=id&columns=when`);
    expect(read.headers.get('content-type')).toBe('application/octet-stream');
    const table = tableFromIPC(read.bytes);
    expect(table.toArray().map((row) => ({ ...row.toJSON() }))).toEqual(json.body);
    expect((await post({ columns: ['id', 'when'] })).bytes).toEqual(read.bytes);
    const asJson = await world.api.get(`/v1/project/projection/${map}/datums?qid=0-3&qid=0-1&columns=id&columns=when&response_type=json`);
    expect(asJson.body).toEqual(json.body);
    expect((await post({ qids: ['0-999'] })).status).toBe(404);
    expect((await post({ qids: ['x'] })).status).toBe(422);
  });
});

test('vectors of a dataset come where datums, or results of a search, ask for them by name', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  const vectors = Array.from({ length: 30 }, (_, at) => [at, 0.5]);
  const columns = {
    id: { type: new Utf8(), values: vectors.map((_, at) => `v${at}`) },
    _embeddings: { type: new FixedSizeList(2, new Field('item', new Float32(), true)), values: vectors },
  };
  await world.api.post('/v1/project/data/add/arrow', arrowFile({ project_id }, columns));
  const { body } = await create(world, project_id, { indexed_field: null, model: null });
  await built(world.api, body.job_id);
  const datums = (more: object) =>
    world.api.post(`/v1/project/projection/${body.projection_id}/datums`, { qids: ['0-2'], response_type: 'json', ...more });
  expect(Object.keys((await datums({})).body[0])).toEqual(['id']);
  const [{ id, _embeddings }] = (await datums({ columns: ['id', '_embeddings'] })).body;
  expect(_embeddings).toEqual(vectors[Number(id.slice(1))]);
  const arrow = tableFromIPC((await datums({ columns: ['_embeddings'], response_type: 'arrow' })).bytes);
  expect([...(arrow.toArray()[0]!.toJSON()['_embeddings'] as Iterable<number>)]).toEqual(_embeddings);
  const { data } = (
    await world.api.post('/v1/query/topk', { projection_id: body.projection_id, k: 1, fields: ['_embeddings'], query: [9, 0.5] })
  ).body;
  expect(data[0]._embeddings).toHaveLength(2);
});

test('a caller may what the public docs name, and a refusal says 403 in its body', async () => {
  await using world = await createWorld();
  const { permissions } = (await world.api.get('/v1/user/')).body.organizations[0];
  expect(Object.keys(permissions)).toHaveLength(17);
  expect(permissions).toMatchObject({
    'organization:api_keys:manage_all': true,
    'organization:api_keys:manage_own': true,
    'organization:datasets:write_all': true,
    'organization:datasets:create': true,
    'organization:internally_shared_datasets:access': true,
  });
  expect(await world.api.post('/v1/project/create', { organization_id: unknown, project_name: 'x' })).toMatchObject({
    status: 403,
    body: { status_code: 403, detail: 'The user is not authorized to perform this action.' },
  });
});

describe('text embedding', () => {
  test('gives 768 numbers a text, echoes the model, and refuses what it does not know', async () => {
    await using world = await createWorld();
    const embed = (more: object) => world.api.post('/v1/embedding/text', { texts: ['a ship', 'bread'], ...more });
    const { body } = await embed({ model: 'acme-embed-text-v1.5' });
    expect(body).toMatchObject({ model: 'acme-embed-text-v1.5', usage: { total_tokens: 3 } });
    expect(body.embeddings.map((vector: number[]) => vector.length)).toEqual([768, 768]);
    expect((await embed({ dimensionality: 64 })).body.embeddings[0]).toHaveLength(64);
    const nulls = { model: null, task_type: null, long_text_mode: null, max_tokens_per_text: null, dimensionality: null };
    expect((await embed(nulls)).body.embeddings).toEqual((await embed({})).body.embeddings);
    for (const wrong of [{ dimensionality: 0 }, { model: 'gpt' }, { long_text_mode: 'cut' }]) expect((await embed(wrong)).status).toBe(422);
  });
});
