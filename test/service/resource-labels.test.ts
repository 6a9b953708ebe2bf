import { Utf8 } from 'apache-arrow';
import { expect, test } from 'vitest';
import { made, tree } from './made-resources.ts';
import { schemaOfMap, sidecarOfRoot } from './map-tiles.ts';
import { addRows, arrowFile, createProject, createWorld, words, type Api, type World } from './world.ts';

const vectors = { EMBEDDING_SET_INFERRED: 'vectors' };
const groups = { of: 'CLUSTER_ASSIGNMENT', on: vectors };
const names = { of: 'KEYWORDS_TOPIC_LABEL', on: { CLUSTER_ASSIGNMENT: 'groups' }, with: { target_field: 'text' } };
const map = (on: object) => ({ of: 'MAP_CHECKPOINT', on: { QUADTREE: 'tree', ...on } });

async function ofRows(world: World, count: number): Promise<string> {
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, count);
  return project_id;
}

async function updated(api: Api, project_id: string, more: object = {}): Promise<void> {
  await api.post('/v1/project/update_indices', { project_id, ...more });
  await expect.poll(async () => (await api.get(`/v1/project/${project_id}`)).body.insert_update_delete_lock).toBe(false);
}

test('what a map of resources stands on belongs to it: topics with their names and places, duplicates and vectors, read by viewers and kept by updates', async () => {
  await using world = await createWorld();
  const { api } = world;
  const project_id = await ofRows(world, 90);
  const resources = await made(world, project_id, {
    ...tree,
    groups,
    names,
    labels: { of: 'TOPIC_LABEL_POSITIONS', on: { KEYWORDS_TOPIC_LABEL: 'names', UMAP_COORDINATE_SET: 'places' } },
    twins: { of: 'DUPLICATES', on: vectors, with: { duplicate_cutoff: 0.4 } },
    clusters: { of: 'CLUSTER_SIDECAR', on: { CLUSTER_ASSIGNMENT: 'groups', QUADTREE: 'tree' } },
    beside: { of: 'EMBEDDING_SIDECAR', on: { ...vectors, QUADTREE: 'tree' } },
    map: map({ TOPIC_LABEL_POSITIONS: 'labels', DUPLICATES: 'twins', CLUSTER_SIDECAR: 'clusters', EMBEDDING_SIDECAR: 'beside' }),
  });
  expect(resources['map']).toMatchObject({ status: 'COMPLETED', error: null });
  const { map_id, index_id } = resources['map']!.result as { map_id: string; index_id: string };
  const topics = resources['names']!.result.topics as { topic: number; depth: number; points: number; topic_short_description: string }[];
  const depths = Math.max(...topics.map(({ depth }) => depth));
  const topicColumns = Array.from({ length: depths }, (_, at) => `_topic_depth_${at + 1}_int`);

  const fields = new Map(await schemaOfMap(api, map_id));
  for (const name of topicColumns) expect([name, fields.get(name)]).toEqual([name, '_topics']);
  expect([fields.get('_duplicate_class_0'), fields.get('_cluster_0'), fields.get('_embeddings')]).toEqual([
    '_duplicates',
    '_duplicates',
    '_embeddings',
  ]);

  const features = async () =>
    (await api.get(`/v1/project/${project_id}/index/projection/${map_id}`)).body.topic_models[0].features as any[];
  const said = (await features()).map(({ properties }) => properties);
  expect(said.map(({ topic, depth, points, topic_short_description: name }) => ({ topic, depth, points, name }))).toEqual(
    topics.map(({ topic, depth, points, topic_short_description: name }) => ({ topic, depth, points, name })),
  );
  // The labels stand where the resource says, on the map's own square.
  const positions = resources['labels']!.result.positions as { topic: number; x: number; y: number }[];
  const order = (of: { topic: number; x: number }[]) => of.toSorted((a, b) => a.x - b.x || a.topic - b.topic).map(({ topic }) => topic);
  expect(order((await features()).map(({ geometry, properties }) => ({ topic: properties.topic, x: geometry.coordinates[0] })))).toEqual(
    order(positions),
  );

  const topicRows = await sidecarOfRoot(api, project_id, map_id, '_topics');
  for (const { topic, depth, points } of topics)
    expect(topicRows.filter((row) => row[`_topic_depth_${depth}_int`] === topic)).toHaveLength(points);
  const classes = (await sidecarOfRoot(api, project_id, map_id, '_duplicates')).map((row) => row['_duplicate_class_0'] as string);
  for (const [name, count] of Object.entries(resources['twins']!.result.counts))
    expect([name, classes.filter((each) => each === name).length]).toEqual([name, count]);
  expect(new Set(classes).size).toBeGreaterThan(1);
  const shares = await api.post('/v1/project/data/get/embedding/topic', {
    atlas_index_id: index_id,
    queries: [Array.from({ length: 768 }, (_, at) => at % 7)],
    k: 5,
    depth: 1,
  });
  expect(shares.status).toBe(200);

  await addRows(api, project_id, 20, { from: 90 });
  await updated(api, project_id);
  expect((await features()).map(({ properties }) => properties.topic_short_description)).toEqual(
    said.map((each) => each.topic_short_description),
  );
  for (const name of ['_topics', '_duplicates', '_embeddings', 'datum_id'])
    expect([name, (await sidecarOfRoot(api, project_id, map_id, name)).length]).toEqual([name, 110]);
  await updated(api, project_id, { rebuild_topic_models: true });
  expect((await sidecarOfRoot(api, project_id, map_id, '_topics')).length).toBe(110);
});

test('later points of a map with groups by density join the nearest of them, none the points without a group; groups without names are numbered', async () => {
  await using world = await createWorld();
  const { api } = world;
  const { project_id } = await createProject(world);
  const odd = ['volcanoes on Iceland', 'a sonnet in Latin', 'prices of copper futures'];
  const texts = [...odd, ...Array.from({ length: 60 }, (_, at) => `${words[at % 4]} number ${at % 12}`)];
  const columns = { id: { type: new Utf8(), values: texts.map((_, at) => `p${at}`) }, text: { type: new Utf8(), values: texts } };
  await api.post('/v1/project/data/add/arrow', arrowFile({ project_id }, columns));
  const resources = await made(world, project_id, {
    ...tree,
    tree: { ...tree.tree, with: {} },
    dense: { of: 'HDBSCAN_CLUSTER_ASSIGNMENT', on: vectors, with: { min_cluster_size: 5, min_samples: 3 } },
    map: map({ HDBSCAN_CLUSTER_ASSIGNMENT: 'dense' }),
  });
  expect(resources['map']).toMatchObject({ status: 'COMPLETED', error: null });
  const { map_id } = resources['map']!.result as { map_id: string };
  const [{ clusters, noise }] = [resources['dense']!.result as { clusters: number[]; noise: number }];
  const groupsOf = async () => (await sidecarOfRoot(api, project_id, map_id, '_topics')).map((row) => row['_topic_depth_1_int'] as number);
  expect([clusters[0]! > 1, noise > 0]).toEqual([true, true]);
  const first = await groupsOf();
  expect([new Set(first.filter((each) => each >= 0)).size, first.filter((each) => each === -1).length]).toEqual([clusters[0], noise]);
  const { topic_models } = (await api.get(`/v1/project/${project_id}/index/projection/${map_id}`)).body;
  const labels = topic_models[0].features.map(({ properties }: any) => properties.topic_short_description) as string[];
  expect(labels).toContain('Group 0');
  expect(new Set(labels).size).toBe(labels.length);
  const later = [texts[3], texts[4], 'nothing of the kind'];
  const more = {
    id: { type: new Utf8(), values: later.map((_, at) => `p${texts.length + at}`) },
    text: { type: new Utf8(), values: later },
  };
  await api.post('/v1/project/data/add/arrow', arrowFile({ project_id }, more));
  await updated(api, project_id);
  const after = await groupsOf();
  const ids = (await sidecarOfRoot(api, project_id, map_id, 'datum_id')).map(({ id }) => id as string);
  const groupOf = (row: number) => after[ids.indexOf(`p${row}`)];
  expect([after.length, after.filter((each) => each === -1).length]).toEqual([66, noise]);
  expect([groupOf(63), groupOf(64)]).toEqual([groupOf(3), groupOf(4)]);
  expect(groupOf(3)).not.toBe(groupOf(4));
});

test('the tiles of a map have the columns of its checkpoint and those of its sidecars, and its resources read no others', async () => {
  await using world = await createWorld();
  const project_id = await ofRows(world, 40);
  const resources = await made(world, project_id, {
    ...tree,
    rows: { of: 'DATASET_CHECKPOINT', with: { columns: ['text', 'year'] } },
    wider: { of: 'DATASET_CHECKPOINT' },
    scores: {
      of: 'SIDECAR_FROM_DATA_TABLE',
      on: { DATASET_CHECKPOINT: 'wider', QUADTREE: 'tree' },
      with: { column_names: ['score'] },
    },
    map: map({ SIDECAR_FROM_DATA_TABLE: 'scores' }),
    when: { of: 'QUADTREE', on: { UMAP_COORDINATE_SET: 'places' }, with: { colorable_fields: ['when'] } },
    ids: {
      of: 'EMBEDDING_SET_INFERRED',
      on: { DATASET_CHECKPOINT: 'rows' },
      with: { source_column: 'id', embedding_model: 'svc-embed-text-v1' },
    },
    groups,
    named: { ...names, with: { target_field: 'id' } },
  });
  const { map_id } = resources['map']!.result as { map_id: string };
  const fields = (await schemaOfMap(world.api, map_id)).map(([name]) => name);
  expect(fields.toSorted()).toEqual(['_embeddings', 'id', 'ix', 'score', 'text', 'x', 'y', 'year']);
  const errors = ['when', 'ids', 'named'].map((name) => resources[name]!.error);
  expect(errors).toEqual(
    ['when', 'id', 'id'].map((name) => `${JSON.stringify(name)} is not a column of the checkpoint, whose columns are text, year`),
  );
});

test('a map has one of each: what names it two ways, or was made of other rows or vectors than the map, fails with the reason', async () => {
  await using world = await createWorld();
  const { api } = world;
  const project_id = await ofRows(world, 60);
  const part = { method: 'composition', conjunctor: 'ALL', filters: [{ method: 'range', field: 'year', range: [1900, 1929] }] };
  const others = { EMBEDDING_SET_INFERRED: 'others' };
  const resources = await made(world, project_id, {
    ...tree,
    groups,
    dense: { of: 'HDBSCAN_CLUSTER_ASSIGNMENT', on: vectors },
    others: {
      of: 'EMBEDDING_SET_INFERRED',
      on: { DATASET_CHECKPOINT: 'rows' },
      with: { source_column: 'text', embedding_model: 'svc-embed-text-v1.5' },
    },
    twins: { of: 'DUPLICATES', on: others },
    early: { of: 'DATASET_CHECKPOINT', with: { composite_filter: part } },
    few: {
      of: 'EMBEDDING_SET_INFERRED',
      on: { DATASET_CHECKPOINT: 'early' },
      with: { source_column: 'text', embedding_model: 'svc-embed-text-v1' },
    },
    fewer: { of: 'CLUSTER_ASSIGNMENT', on: { EMBEDDING_SET_INFERRED: 'few' } },
    random: { of: 'RANDOM_COORDINATE_SET', on: { DATASET_CHECKPOINT: 'rows' } },
    anywhere: { of: 'QUADTREE', on: { RANDOM_COORDINATE_SET: 'random' } },
    near: { of: 'CLUSTER_ASSIGNMENT', on: { RANDOM_COORDINATE_SET: 'random' } },
    names,
    elsewhere: { of: 'TOPIC_LABEL_POSITIONS', on: { KEYWORDS_TOPIC_LABEL: 'names', RANDOM_COORDINATE_SET: 'random' } },
    a: map({ CLUSTER_ASSIGNMENT: 'groups', HDBSCAN_CLUSTER_ASSIGNMENT: 'dense' }),
    b: map({ DUPLICATES: 'twins' }),
    c: map({ CLUSTER_ASSIGNMENT: 'fewer' }),
    d: { of: 'MAP_CHECKPOINT', on: { QUADTREE: 'anywhere', CLUSTER_ASSIGNMENT: 'near' } },
    e: map({ TOPIC_LABEL_POSITIONS: 'elsewhere' }),
    f: map({ QUADTREE: ['tree', 'anywhere'] }),
  });
  const reasons = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => resources[name]!.error);
  expect(reasons).toEqual([
    expect.stringContaining('the groups of one'),
    expect.stringContaining('of other vectors than those of the map'),
    expect.stringContaining('of other rows than those of the map'),
    expect.stringContaining('has none'),
    expect.stringContaining('other places than those of the map'),
    expect.stringContaining('one QUADTREE'),
  ]);
  expect((await api.get(`/v1/project/${project_id}`)).body.atlas_indices).toEqual([]);
});
