import { tableFromIPC } from 'apache-arrow';
import { beforeAll, describe, expect, test } from 'vitest';
import { addRows, built, createProject, indexOrder } from '../world.ts';
import { useClients } from './place.ts';

const place = useClients();
let project: string;
beforeAll(async () => {
  project = (await createProject(place(), 'indices')).project_id;
  await addRows(place().api, project, 90);
});

const create = (more: object) => place().post('/v1/project/index/create', indexOrder(project, more));
const labels = {
  topic_model_hyperparameters: JSON.stringify({
    build_topic_model: true,
    community_description_target_field: 'text',
    cluster_method: 'fast',
    enforce_topic_hierarchy: false,
  }),
  duplicate_detection_hyperparameters: JSON.stringify({ tag_duplicates: true, duplicate_cutoff: 0.02 }),
};

describe('an order of a map as public clients send it', () => {
  test('what the service cannot build is refused by a 422 that names the field', async () => {
    const wrong = [
      ['model', { model: 'no-such-model' }],
      ['indexed_field', { model: 'svc-embed-vision-v1.5' }],
      ['colorable_fields', { colorable_fields: ['year', 'colour'] }],
      ['reuse_atoms_and_embeddings_from', { reuse_atoms_and_embeddings_from: 'no index' }],
      [
        'topic_model_hyperparameters',
        { topic_model_hyperparameters: '{"build_topic_model":true,"community_description_target_field":"plot"}' },
      ],
      ['indexed_field', { indexed_field: 'plot' }],
    ] as const;
    for (const [field, more] of wrong) {
      const { status, headers, json } = await create(more);
      expect([field, status, headers['content-type'], json.detail[0].loc]).toEqual([field, 422, 'application/json', ['body', field]]);
    }
    expect((await place().get(`/v1/project/${project}`)).json.atlas_indices).toEqual([]);
  });

  test('the answer leads to the index and its map at once, its job to the end of the build, and then the dataset is not locked', async () => {
    const { status, json: made } = await create(labels);
    expect([status, Object.keys(made).toSorted()]).toEqual([200, ['job_id', 'projection_id']]);
    const { index_id } = (await place().get(`/v1/project/index/job/${made.job_id}`)).json;
    const { atlas_indices, maps } = (await place().get(`/v1/project/${project}`)).json;
    expect(atlas_indices).toMatchObject([{ id: index_id, indexed_field: 'text', projections: [{ id: made.projection_id }] }]);
    expect(maps).toMatchObject([{ projection_id: made.projection_id, error: null }]);
    expect(await built(place().api, made.job_id)).toBe('Completed');
    const progress = (await place().get(`/v1/project/index/job/progress/${index_id}`)).json;
    expect([progress.result, progress.index_build_stage]).toEqual([100, 'Completed']);
    expect((await place().get(`/v1/project/jobs/status/${index_id}`)).json).toMatchObject({ index_id, status: 'completed' });
    expect((await place().get(`/v1/project/${project}`)).json).toMatchObject({
      insert_update_delete_lock: false,
      atlas_indices: [{ projections: [{ ready: true }] }],
    });
  });
});

describe('topics and duplicates of a map as public clients read them', () => {
  let map: string;
  let index: string;
  const sidecar = async (name: string) => {
    const { status, body } = await place().get(`/v1/project/${project}/index/projection/${map}/quadtree/0/0/0.${name}.feather`);
    expect([name, status]).toEqual([name, 200]);
    return tableFromIPC(body);
  };
  beforeAll(async () => {
    const { json } = await create({ ...labels, index_name: 'labelled' });
    expect(await built(place().api, json.job_id)).toBe('Completed');
    map = json.projection_id;
    index = (await place().get(`/v1/project/index/job/${json.job_id}`)).json.index_id;
  });

  test('the topics of all depths stand in one sidecar, as numbers alone, and the map says what they are', async () => {
    const { schema } = await sidecar('_topics');
    expect(schema.names).toEqual(schema.names.map((_, at) => `_topic_depth_${at + 1}_int`));
    const info = (await place().get(`/v1/project/${project}/index/projection/${map}`)).json;
    const topics = info.topic_models[0].features.map(({ properties }: { properties: Record<string, unknown> }) => properties);
    const depths = schema.names.map((_, at) => `_topic_depth_${at + 1}`);
    for (const topic of topics) {
      expect(topic).toMatchObject({ topic: expect.any(Number), depth: expect.any(Number), topic_description: expect.any(String) });
      for (const [at, name] of depths.entries()) expect(topic[name] === null, name).toBe(at + 1 > topic.depth);
    }
    const names = topics.map(({ topic_short_description: name }: { topic_short_description: string }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('duplicates and their clusters stand in one sidecar; what may go is called a deletion candidate', async () => {
    const table = await sidecar('_duplicates');
    expect(table.schema.names).toEqual(['_duplicate_class_0', '_cluster_0']);
    const known = ['singleton', 'retention candidate', 'deletion candidate'];
    for (const each of table.getChild('_duplicate_class_0')! as Iterable<string>) expect(known).toContain(each);
  });

  test('topics of vectors come as a list, one for each', async () => {
    const { embeddings } = (await place().post('/v1/embedding/text', { texts: ['ship', 'bread'], task_type: 'search_query' })).json;
    const body = { atlas_index_id: index, queries: embeddings, k: 10, depth: 1 };
    const { status, json: found } = await place().post('/v1/project/data/get/embedding/topic', body);
    expect([status, found.length]).toEqual([200, 2]);
    for (const each of found) expect(Object.values<number>(each).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
  });
});
