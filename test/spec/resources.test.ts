import { expect } from 'vitest';
import { resourceKinds } from '../../contracts/maps/resources.ts';
import { addRows, createProject } from '../service/world.ts';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';
import { readyResources } from './ready-resources.ts';

const place = usePlace();

async function dataset(): Promise<string> {
  const { project_id } = await createProject(place(), 'resources');
  await addRows(place().api, project_id, 40);
  return project_id;
}

proves(
  [
    'maps:GET /v1/project/{project_id}/resources',
    'maps:GET /v1/project/{project_id}/resources#200',
    'maps:GET /v1/project/{project_id}/resources.1',
  ],
  'the resources of a dataset are listed with what became of them, in the order in which they were made, and those of no other',
  async () => {
    const { calls, api } = place();
    const [project_id, other] = [await dataset(), await dataset()];
    expect(await calls.invoke('maps.resources.list', { project_id })).toEqual([]);
    const checkpoint = (ref: string) => ({ resource_type: 'DATASET_CHECKPOINT', ref, dataset_id: project_id });
    const [first] = await calls.invoke('maps.resources.create', { project_id, resources: [checkpoint('a')] });
    const [second] = await calls.invoke('maps.resources.create', { project_id, resources: [checkpoint('b')] });
    expect((await readyResources(calls, project_id)).map(({ id, status }) => [id, status])).toEqual([
      [first!.id, 'COMPLETED'],
      [second!.id, 'COMPLETED'],
    ]);
    const plain = await api.get(`/v1/project/${project_id}/resources`);
    expect([plain.status, plain.body.length]).toEqual([200, 2]);
    expect(await calls.invoke('maps.resources.list', { project_id: other })).toEqual([]);
  },
);

proves(
  [
    'maps:POST /v1/project/{project_id}/resources',
    'maps:POST /v1/project/{project_id}/resources#200',
    'maps:POST /v1/project/{project_id}/resources.2',
  ],
  'a chain of resources is made in the order of what stands on what, whatever the order of the request, and answered in that of the request',
  async () => {
    const { calls, api } = place();
    const project_id = await dataset();
    const of = (resource_type: string, ref: string, dependencies: object = {}, more: object = {}) => ({
      resource_type,
      ref,
      dataset_id: project_id,
      dependencies,
      ...more,
    });
    const { status, body } = await api.post(`/v1/project/${project_id}/resources`, [
      of('QUADTREE', 'tree', { PCA_COORDINATE_SET: 'places' }),
      of('PCA_COORDINATE_SET', 'places', { EMBEDDING_SET_INFERRED: ['vectors'] }),
      of(
        'EMBEDDING_SET_INFERRED',
        'vectors',
        { DATASET_CHECKPOINT: 'rows' },
        { source_column: 'text', embedding_model: 'svc-embed-text-v1' },
      ),
      of('DATASET_CHECKPOINT', 'rows'),
    ]);
    expect([status, body.map(({ type }: { type: string }) => type)]).toEqual([
      200,
      ['QUADTREE', 'PCA_COORDINATE_SET', 'EMBEDDING_SET_INFERRED', 'DATASET_CHECKPOINT'],
    ]);
    const built = await readyResources(calls, project_id);
    expect(built.map((each) => [each.status, (each['result'] as { rows: number }).rows])).toEqual(
      Array.from({ length: 4 }, () => ['COMPLETED', 40]),
    );
    // A later request goes on with what is there, by its id.
    const more = await api.post(`/v1/project/${project_id}/resources`, [of('DUPLICATES', 'twins', { EMBEDDING_SET_INFERRED: body[2].id })]);
    expect(more.status).toBe(200);
    expect((await readyResources(calls, project_id)).at(-1)).toMatchObject({ type: 'DUPLICATES', status: 'COMPLETED' });
  },
);

proves(
  ['maps:POST /v1/project/{project_id}/resources.1', 'maps:project/1'],
  'the body is a list of requests of 26 kinds, each named with the suffix _REQUEST, and of no other',
  async () => {
    const { calls, api } = place();
    const project_id = await dataset();
    const of = (resource_type: string, ref: string, dependencies: object = {}, more: object = {}) => ({
      resource_type: `${resource_type}_REQUEST`,
      ref,
      dataset_id: project_id,
      dependencies,
      ...more,
    });
    const upon: Record<string, object> = {
      rows: { DATASET_CHECKPOINT_REQUEST: 'DATASET_CHECKPOINT' },
      vectors: { EMBEDDING_SET_INFERRED: 'EMBEDDING_SET_INFERRED' },
      groups: { CLUSTER_ASSIGNMENT: 'CLUSTER_ASSIGNMENT' },
      tree: { QUADTREE: 'QUADTREE', EMBEDDING_SET_INFERRED: 'EMBEDDING_SET_INFERRED', CLUSTER_ASSIGNMENT: 'CLUSTER_ASSIGNMENT' },
    };
    const sent = [
      of('DATASET_CHECKPOINT', 'DATASET_CHECKPOINT'),
      of('EMBEDDING_SET', 'EMBEDDING_SET', upon['rows']),
      of('EMBEDDING_SET_INFERRED', 'EMBEDDING_SET_INFERRED', upon['rows'], {
        source_column: 'text',
        embedding_model: 'svc-embed-text-v1.5',
      }),
      of('RANDOM_COORDINATE_SET', 'RANDOM_COORDINATE_SET', upon['rows']),
      ...[
        'HNSW_INDEX',
        'EMBEDDING_DERIVED_2D_COORDINATE_SET',
        'UMAP_COORDINATE_SET',
        'SVD_COORDINATE_SET',
        'PCA_COORDINATE_SET',
        'NPV1_COORDINATE_SET',
        'NPV2_COORDINATE_SET',
        'CLUSTER_ASSIGNMENT',
        'HDBSCAN_CLUSTER_ASSIGNMENT',
        'DUPLICATES',
      ].map((kind) => of(kind, kind, upon['vectors'])),
      of('TSNE_COORDINATE_SET', 'TSNE_COORDINATE_SET', upon['vectors'], { n_iter: 20, early_exaggeration_iter: 20 }),
      of('CHECKPOINT_DESCRIPTION', 'CHECKPOINT_DESCRIPTION', upon['rows']),
      of('QUADTREE', 'QUADTREE', { PCA_COORDINATE_SET: 'PCA_COORDINATE_SET' }),
      of('KEYWORDS_TOPIC_LABEL', 'KEYWORDS_TOPIC_LABEL', upon['groups'], { target_field: 'text' }),
      of('LLM_TOPIC_LABEL', 'LLM_TOPIC_LABEL', upon['groups']),
      of('TOPIC_LABEL_POSITIONS', 'TOPIC_LABEL_POSITIONS', {
        KEYWORDS_TOPIC_LABEL: 'KEYWORDS_TOPIC_LABEL',
        PCA_COORDINATE_SET: 'PCA_COORDINATE_SET',
      }),
      of('MAP_CHECKPOINT', 'MAP_CHECKPOINT', upon['tree']),
      of('SIDECAR_FROM_PARQUET', 'SIDECAR_FROM_PARQUET', upon['tree'], { sidecar_name: 'more' }),
      of('EMBEDDING_SIDECAR', 'EMBEDDING_SIDECAR', upon['tree']),
      of(
        'SIDECAR_FROM_DATA_TABLE',
        'SIDECAR_FROM_DATA_TABLE',
        { ...upon['rows'], QUADTREE: 'QUADTREE' },
        { column_names: ['year', 'text'] },
      ),
      of('CLUSTER_SIDECAR', 'CLUSTER_SIDECAR', upon['tree']),
      of('OPENGRAPH_IMAGE', 'OPENGRAPH_IMAGE', { QUADTREE: 'QUADTREE' }, { map_id: project_id }),
    ];
    expect(sent.map(({ ref }) => ref).toSorted()).toEqual(Object.keys(resourceKinds).toSorted());
    expect(sent).toHaveLength(26);
    const path = `/v1/project/${project_id}/resources`;
    const { status, body } = await api.post(path, sent);
    expect([status, body.map(({ type }: { type: string }) => type)]).toEqual([200, sent.map(({ ref }) => ref)]);
    const ended = await readyResources(calls, project_id);
    const failed = ended
      .filter((each) => each.status !== 'COMPLETED')
      .map(({ type, status: became, error }) => [type, became, typeof error]);
    expect(failed.toSorted(([a], [b]) => a!.localeCompare(b!))).toEqual(
      ['EMBEDDING_SET', 'LLM_TOPIC_LABEL', 'NPV1_COORDINATE_SET', 'NPV2_COORDINATE_SET', 'OPENGRAPH_IMAGE', 'SIDECAR_FROM_PARQUET'].map(
        (kind) => [kind, 'FAILED', 'string'],
      ),
    );
    for (const wrong of [{ resource_type: 'KMEANS_REQUEST', ref: 'a', dataset_id: project_id }, 'DATASET_CHECKPOINT'])
      expect((await api.post(path, [wrong])).status).toBe(422);
    expect((await api.post(path, sent[0])).status).toBe(422);
    expect((await calls.invoke('maps.resources.list', { project_id })).length).toBe(26);
  },
);
