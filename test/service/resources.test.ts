import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Field, FixedSizeList, Float32, Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { startService } from './running.ts';
import { addRows, arrowFile, createProject, createWorld, type Api } from './world.ts';

type Listed = { id: string; type: string; status: string; error: string | null; result: any; params: any };

const listOf = async (api: Api, project: string): Promise<Listed[]> => (await api.get(`/v1/project/${project}/resources`)).body;

async function ended(api: Api, project: string, ids: readonly string[]): Promise<Listed[]> {
  for (;;) {
    const listed = (await listOf(api, project)).filter(({ id }) => ids.includes(id));
    if (listed.every(({ status }) => status === 'COMPLETED' || status === 'FAILED')) return listed;
    await pause(20);
  }
}

const item = (dataset_id: string, resource_type: string, ref: string, dependencies: object = {}, more: object = {}) => ({
  resource_type,
  ref,
  dataset_id,
  dependencies,
  ...more,
});

test('what cannot be made in an order, or stands on nothing, is refused whole and leaves no trace', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 30);
  const rows = item(project_id, 'DATASET_CHECKPOINT', 'rows');
  const refusal = async (...sent: object[]): Promise<string> => {
    const { status, body } = await world.api.post(`/v1/project/${project_id}/resources`, sent);
    return `${status} ${body.detail?.[0]?.loc?.join('.')} ${body.detail?.[0]?.msg}`;
  };
  expect(await refusal(rows, rows)).toMatch(/^422 body.1.ref "rows" names two/);
  expect(await refusal(rows, item(project_id, 'RANDOM_COORDINATE_SET', 'a', { DATASET_CHECKPOINT: 'none' }))).toMatch(
    /^422 body.1.dependencies "none" is neither/,
  );
  expect(await refusal(rows, item(project_id, 'RANDOM_COORDINATE_SET', 'a', { EMBEDDING_SET: 'rows' }))).toMatch(
    /^422 body.1.dependencies "rows" is a DATASET_CHECKPOINT/,
  );
  expect(
    await refusal(
      item(project_id, 'RANDOM_COORDINATE_SET', 'a', { QUADTREE: 'b' }),
      item(project_id, 'QUADTREE', 'b', { RANDOM_COORDINATE_SET: 'a' }),
    ),
  ).toMatch(/^422 body.0.dependencies "a" stands on itself/);
  expect(await refusal(rows, item(project_id, 'PCA_COORDINATE_SET', 'a', { DATASET_CHECKPOINT: 'rows' }))).toMatch(
    /^422 body.1.dependencies a PCA_COORDINATE_SET stands on a resource that gives vectors/,
  );
  expect(await refusal({ ...rows, columns: 7 })).toMatch(/^422 body.0.columns /);
  expect(await refusal(item('00000000-0000-4000-8000-000000000000', 'DATASET_CHECKPOINT', 'rows'))).toMatch(/^422 body.0.dataset_id /);
  expect(await listOf(world.api, project_id)).toEqual([]);
});

test('what fails says why, and what stands on it waits', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 30);
  const { body } = await world.api.post(`/v1/project/${project_id}/resources`, [
    item(project_id, 'DATASET_CHECKPOINT', 'rows'),
    item(project_id, 'EMBEDDING_SET', 'own', { DATASET_CHECKPOINT: 'rows' }),
    item(project_id, 'PCA_COORDINATE_SET', 'places', { EMBEDDING_SET: 'own' }),
    item(project_id, 'RANDOM_COORDINATE_SET', 'random', { DATASET_CHECKPOINT: 'rows' }),
    item(project_id, 'DATASET_CHECKPOINT', 'none', {}, { columns: ['no-column'] }),
  ]);
  const [rows, own, places, random, none] = body.map(({ id }: Listed) => id) as string[];
  const listed = await ended(world.api, project_id, [rows!, own!, random!, none!]);
  expect(listed.map(({ status }) => status)).toEqual(['COMPLETED', 'FAILED', 'COMPLETED', 'FAILED']);
  expect(listed[1]!.error).toMatch(/has no `_embeddings`: ask for EMBEDDING_SET_INFERRED/);
  expect(listed[3]!.error).toMatch(/"no-column" is not a column/);
  expect((await listOf(world.api, project_id)).find(({ id }) => id === places)).toMatchObject({ status: 'WAITING', result: null });
});

test('a parameter that cannot be obeyed fails its resource with the reason, and each that can is obeyed', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  const rows = Array.from({ length: 40 }, (_, at) => [at, at % 7, (at * 3) % 5]);
  const type = new FixedSizeList(3, new Field('item', new Float32(), true));
  const file = arrowFile(
    { project_id },
    { id: { type: new Utf8(), values: rows.map(([at]) => `p${at}`) }, _embeddings: { type, values: rows } },
  );
  expect((await world.api.post('/v1/project/data/add/arrow', file)).status).toBe(200);
  const vectors = { EMBEDDING_SET: 'own' };
  const sent = [
    item(project_id, 'DATASET_CHECKPOINT', 'rows'),
    item(project_id, 'DATASET_CHECKPOINT', 'earlier', {}, { timestamp: 1 }),
    item(project_id, 'EMBEDDING_SET', 'own', { DATASET_CHECKPOINT: 'rows' }, { embedding_target: '_embeddings' }),
    item(project_id, 'EMBEDDING_SET', 'other', { DATASET_CHECKPOINT: 'rows' }, { embedding_target: 'text' }),
    item(project_id, 'HNSW_INDEX', 'graph', vectors, { local_neighborhood_size: 32 }),
    item(project_id, 'HNSW_INDEX', 'local', vectors, { local_neighborhood_size: 16 }),
    item(project_id, 'CLUSTER_ASSIGNMENT', 'nested', vectors, { enforce_hierarchy: true, cluster_method: 'fast' }),
    item(project_id, 'CLUSTER_ASSIGNMENT', 'free', vectors, { enforce_hierarchy: false }),
    item(project_id, 'PCA_COORDINATE_SET', 'all', vectors, { n_components: 3 }),
    item(project_id, 'PCA_COORDINATE_SET', 'more', vectors, { n_components: 4 }),
    item(project_id, 'SVD_COORDINATE_SET', 'singular', vectors, { n_components: 4 }),
    item(project_id, 'EMBEDDING_DERIVED_2D_COORDINATE_SET', 'derived', vectors, { dims: [0, 3] }),
  ];
  const { status, body } = await world.api.post(`/v1/project/${project_id}/resources`, sent);
  expect([status, body.detail]).toEqual([200, undefined]);
  const listed = await ended(
    world.api,
    project_id,
    body.map(({ id }: Listed) => id),
  );
  const errors = Object.fromEntries(listed.flatMap(({ error }, at) => (error === null ? [] : [[sent[at]!.ref, error]])));
  expect(errors).toEqual({
    earlier: expect.stringMatching(/^the local service keeps no former versions/),
    other: '"text" holds no vectors: those of the dataset are "_embeddings", also where none are named',
    local: expect.stringMatching(/^local_neighborhood_size is of the projections of the hosted service/),
    free: expect.stringMatching(/leave enforce_hierarchy out$/),
    more: 'n_components 4 of vectors of 3 numbers',
    singular: 'n_components 4 of vectors of 3 numbers',
    derived: expect.stringMatching(/^dims 0 and 3 of vectors of 3 numbers/),
  });
  expect(listed[8]!.result.columns).toEqual(['x', 'y', 'c2']);
});

test('a parameter that its kind does not have fails the resource with the name and the near one; what stands on it waits, and null says nothing', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 30);
  const rows = { DATASET_CHECKPOINT: 'rows' };
  const { status, body } = await world.api.post(`/v1/project/${project_id}/resources`, [
    item(project_id, 'DATASET_CHECKPOINT', 'rows', {}, { colums: null }),
    item(project_id, 'DATASET_CHECKPOINT', 'misspelt', {}, { colums: ['id'] }),
    item(project_id, 'RANDOM_COORDINATE_SET', 'seeded', rows, { seed: 7 }),
    item(project_id, 'RANDOM_COORDINATE_SET', 'upon', { DATASET_CHECKPOINT: 'misspelt' }),
    item(project_id, 'CHECKPOINT_DESCRIPTION', 'other', rows, { language: 'en' }),
  ]);
  expect([status, body.detail]).toEqual([200, undefined]);
  const ids = body.map(({ id }: Listed) => id) as string[];
  const [made, ...failed] = await ended(
    world.api,
    project_id,
    [0, 1, 2, 4].map((at) => ids[at]!),
  );
  expect([made!.status, ...failed.map(({ error }) => error)]).toEqual([
    'COMPLETED',
    `"colums" is no parameter of a DATASET_CHECKPOINT; did you mean 'columns'?`,
    '"seed" is no parameter of a RANDOM_COORDINATE_SET',
    '"language" is no parameter of a CHECKPOINT_DESCRIPTION; there are fields, maximum_characters',
  ]);
  expect((await listOf(world.api, project_id)).find(({ id }) => id === ids[3])).toMatchObject({ status: 'WAITING', result: null });
});

test('resources say what was made: places, groups with names and places, duplicates, a graph and files beside tiles', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 60);
  await addRows(world.api, project_id, 60, { from: 60 });
  const vectors = { EMBEDDING_SET_INFERRED: 'vectors' };
  const { body } = await world.api.post(`/v1/project/${project_id}/resources`, [
    item(project_id, 'DATASET_CHECKPOINT', 'rows', {}, { columns: ['id', 'text', 'year'] }),
    item(
      project_id,
      'EMBEDDING_SET_INFERRED',
      'vectors',
      { DATASET_CHECKPOINT: 'rows' },
      { source_column: 'text', embedding_model: 'svc-embed-text-v1' },
    ),
    item(project_id, 'SVD_COORDINATE_SET', 'svd', vectors, { n_components: 3 }),
    item(project_id, 'HNSW_INDEX', 'graph', vectors),
    item(project_id, 'CLUSTER_ASSIGNMENT', 'groups', vectors),
    item(project_id, 'KEYWORDS_TOPIC_LABEL', 'names', { CLUSTER_ASSIGNMENT: 'groups' }, { target_field: 'text' }),
    item(project_id, 'PCA_COORDINATE_SET', 'pca', vectors),
    item(project_id, 'TOPIC_LABEL_POSITIONS', 'labels', { KEYWORDS_TOPIC_LABEL: 'names', PCA_COORDINATE_SET: 'pca' }),
    item(project_id, 'QUADTREE', 'tree', { PCA_COORDINATE_SET: 'pca' }, { colorable_fields: ['year'] }),
    item(project_id, 'SIDECAR_FROM_DATA_TABLE', 'years', { QUADTREE: 'tree', DATASET_CHECKPOINT: 'rows' }, { column_names: ['year'] }),
    item(project_id, 'CHECKPOINT_DESCRIPTION', 'said', { DATASET_CHECKPOINT: 'rows' }, { fields: ['year'] }),
  ]);
  const listed = await ended(
    world.api,
    project_id,
    body.map(({ id }: Listed) => id),
  );
  expect(listed.map(({ type, error }) => [type, error])).toEqual(listed.map(({ type }) => [type, null]));
  const of = (type: string) => listed.find((each) => each.type === type)!.result;
  expect(of('SVD_COORDINATE_SET')).toMatchObject({ rows: 120, columns: ['x', 'y', 'c2'] });
  expect(of('HNSW_INDEX').recall).toBeGreaterThan(0.9);
  const { topics } = of('KEYWORDS_TOPIC_LABEL');
  expect(Math.max(...topics.map(({ depth }: { depth: number }) => depth))).toBe(of('CLUSTER_ASSIGNMENT').columns.length);
  for (const { topic_short_description: name } of topics) expect(name).not.toMatch(/number/i);
  for (let depth = 1; depth <= of('CLUSTER_ASSIGNMENT').columns.length; depth += 1)
    expect(topics.filter((each: any) => each.depth === depth).reduce((sum: number, { points }: any) => sum + points, 0)).toBe(120);
  expect(
    of('TOPIC_LABEL_POSITIONS')
      .positions.map(({ topic }: any) => topic)
      .toSorted(),
  ).toEqual(topics.map(({ topic }: any) => topic).toSorted());
  expect(of('SIDECAR_FROM_DATA_TABLE')).toEqual({ rows: 120, tiles: of('QUADTREE').tiles, columns: ['year'] });
  expect(of('CHECKPOINT_DESCRIPTION').description).toBe('year: int32, 100 values from 1900 to 1999, 0 empty');
  // A removed dataset takes them along.
  await world.api.post('/v1/project/remove', { project_id });
  expect((await world.api.get(`/v1/project/${project_id}/resources`)).status).toBe(404);
});

test('resources that were asked for are built, whatever kills the service on the way', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'portolan-resources-'));
  let service = await startService(dataDir);
  try {
    const { project_id } = await createProject(service);
    await addRows(service.api, project_id, 300);
    const vectors = { EMBEDDING_SET_INFERRED: 'vectors' };
    const { body } = await service.api.post(`/v1/project/${project_id}/resources`, [
      item(project_id, 'DATASET_CHECKPOINT', 'rows'),
      item(
        project_id,
        'EMBEDDING_SET_INFERRED',
        'vectors',
        { DATASET_CHECKPOINT: 'rows' },
        { source_column: 'text', embedding_model: 'svc-embed-text-v1' },
      ),
      item(project_id, 'TSNE_COORDINATE_SET', 'tsne', vectors, { n_iter: 100, early_exaggeration_iter: 50 }),
      item(project_id, 'QUADTREE', 'tree', { TSNE_COORDINATE_SET: 'tsne' }),
    ]);
    const ids = body.map(({ id }: Listed) => id) as string[];
    const seen = async (type: string): Promise<string> =>
      (await listOf(service.api, project_id)).find((each) => each.type === type)!.status;
    while ((await seen('TSNE_COORDINATE_SET')) === 'WAITING') await pause(5);
    await service.kill();
    service = await startService(dataDir);
    const listed = await ended(service.api, project_id, ids);
    expect(listed.map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, 'COMPLETED']));
    expect(listed[3]!.result.rows).toBe(300);
  } finally {
    await service.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
