import { Field, FixedSizeList, Float32, Utf8 } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { made, tree } from './made-resources.ts';
import { schemaOfMap, sidecarOfRoot } from './map-tiles.ts';
import { arrowFile, built, createProject, createWorld, indexOrder, type Api, type World } from './world.ts';

/** What queries of the service call their own tables and columns, in any case: names that a user may give to his columns too. */
const taken = [
  ...['distance', 'query', 'vector', 'similarity', 'tix', 'rix', 'x', 'y', 'ix', 'Value', 'rank', 'count', 'c0', 'c1', 'point', 'row'],
  ...['intent', 'first_row', 'end_row', 'surplus', 'seq', 'pending', 'has', 'replaced', 'index_id', 'tag_id', 'depth_1', 'depth_2'],
  ...['topic', 'depth', 'parent', 'SHORT', 'description', 'points', 'kind', 'class', 'cluster', 'distinct', 'empty', 'least', 'most'],
  ...['data', 'best', 'position', 'layer', 'numbered', 'ranked', 'placed', 'grouped', 'topics', 'additions', 'tree', 'source', 'colored'],
];
const rows = Array.from({ length: 60 }, (_, row) => row);
const idOf = (row: number): string => `row-${row}`;
const valueOf = (name: string, row: number): string => `${name} ${row % 3}`;
const near = (row: number): number[] => [row % 3, row / 60, 1];
const own = new FixedSizeList(3, new Field('item', new Float32(), true));

const allRows = (project_id: string, idField: string | null, vectors: boolean): Uint8Array => {
  const names = ['text', ...taken].filter((name) => name !== idField);
  return arrowFile(
    { project_id },
    {
      ...(idField === null ? {} : { [idField]: { type: new Utf8(), values: rows.map(idOf) } }),
      ...Object.fromEntries(names.map((name) => [name, { type: new Utf8(), values: rows.map((row) => valueOf(name, row)) }])),
      ...(vectors ? { _embeddings: { type: own, values: rows.map(near) } } : {}),
    },
  );
};

type Mapped = { project: string; map: string; index: string };

/** A dataset with all these columns and a map of it, by the vectors of a model or its own. */
const mapped = async (world: World, idField: string, vectors: boolean): Promise<Mapped> => {
  const { project_id: project } = await createProject(world, 'named', { unique_id_field: idField });
  expect(await world.api.post('/v1/project/data/add/arrow', allRows(project, idField, vectors))).toMatchObject({ status: 200 });
  const topics = { topic_model_hyperparameters: '{"build_topic_model": true}' };
  const order = indexOrder(project, { ...topics, ...(vectors ? { model: null, indexed_field: null } : {}) });
  const { body } = await world.api.post('/v1/project/index/create', order);
  expect(await built(world.api, body.job_id)).toBe('Completed');
  const { index_id: index } = (await world.api.get(`/v1/project/index/job/${body.job_id}`)).body;
  return { project, map: body.projection_id, index };
};

/** The body of an answer that must be a success. */
const asked = async (api: Api, path: string, body: object): Promise<any> => {
  const answer = await api.post(path, body);
  expect([path, answer.status, answer.body.detail]).toEqual([path, 200, undefined]);
  return answer.body;
};

const neighborsOf = (api: Api, { index }: Mapped, row: number) =>
  asked(api, '/v1/project/data/get/nearest_neighbors/by_id', { atlas_index_id: index, datum_ids: [idOf(row)], k: 2 });

let world: World;
let api: Api;
let ofModel: Mapped;
let ofOwn: Mapped;
beforeAll(async () => {
  world = await createWorld();
  ({ api } = world);
  [ofModel, ofOwn] = [await mapped(world, 'id', false), await mapped(world, 'id', true)];
});
afterAll(() => world[Symbol.asyncDispose]());

describe('a column may have any name that the service has for something of its own', () => {
  test('points have their neighbours, by id, by vector and in tiles', async () => {
    for (const of of [ofModel, ofOwn]) expect((await neighborsOf(api, of, 7)).neighbors[0]).toHaveLength(2);
    // Every third row is near; the next of them is a twentieth away.
    expect((await neighborsOf(api, ofOwn, 0)).neighbors).toEqual([['row-0', 'row-3']]);
    const queries = [near(7)];
    expect(
      (await asked(api, '/v1/project/data/get/nearest_neighbors/by_embedding', { atlas_index_id: ofOwn.index, queries, k: 1 })).neighbors,
    ).toEqual([['row-7']]);
    const tile = `project_id=${ofOwn.project}&projection_id=${ofOwn.map}&tiles=%5B%220/0/0%22%5D&tix=0&rix=0`;
    const { status, body } = await api.get(`/v1/project/search/id?${tile}`);
    expect([status, body.data['0/0/0'][0]]).toEqual([200, expect.closeTo(1)]);
  });

  test('a search gives these columns back, filtered by one of them', async () => {
    const selection = {
      method: 'composition',
      conjunctor: 'ALL',
      filters: [{ method: 'category', field: 'similarity', values: ['similarity 1'] }],
    };
    for (const { map, query } of [
      { map: ofModel.map, query: 'text 1' },
      { map: ofOwn.map, query: near(1) },
    ]) {
      const { data } = await asked(api, '/v1/query/topk', { projection_id: map, k: 60, fields: ['id', ...taken], query, selection });
      expect(data).toHaveLength(20);
      expect(data.map((row: any) => row.similarity)).toEqual(data.map(() => 'similarity 1'));
      const found: number[] = data.map((row: any) => row._similarity);
      expect(found).toEqual(found.toSorted((a, b) => b - a));
    }
  });

  test('each column has its file beside the tiles, in the order of the points', async () => {
    for (const { project, map } of [ofModel, ofOwn]) {
      const ids = (await sidecarOfRoot(api, project, map, 'datum_id')).map(({ id }) => Number(String(id).slice(4)));
      const files = new Map(await schemaOfMap(api, map));
      for (const name of taken) {
        // The tile itself has columns of these names.
        const shown = ['ix', 'x', 'y'].includes(name) ? `${name}_` : name;
        const values = (await sidecarOfRoot(api, project, map, files.get(shown)!)).map((row) => row[shown]);
        expect(values, name).toEqual(ids.map((row) => valueOf(name, row)));
      }
    }
  });

  test('points are read by their places in tiles', async () => {
    const [row] = await asked(api, `/v1/project/projection/${ofModel.map}/datums`, { qids: ['0-0'], response_type: 'json' });
    const number = Number(row.id.slice(4));
    expect(row).toMatchObject(Object.fromEntries(taken.map((name) => [name, valueOf(name, number)])));
  });

  test('the page of a map colours by it, searches, shows rows and tags', async () => {
    const { map } = ofModel;
    const about = (await api.get(`/pages/maps/${map}`)).body;
    expect(about.categories.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(taken));
    for (const name of taken) {
      const { values } = about.categories.find((each: { name: string }) => each.name === name);
      const { status, bytes } = await api.get(`/pages/maps/${map}/categories?column=${name}`);
      expect([name, status]).toEqual([name, 200]);
      expect(Array.from(bytes, (number) => values[number].value)).toEqual(rows.map((row) => valueOf(name, row)));
    }
    const { results } = (await api.get(`/pages/maps/${map}/search?q=text%201`)).body;
    expect(results[0]).toMatchObject({ row: expect.any(Number), label: 'text 1' });
    expect((await api.get(`/pages/maps/${map}/row?row=4`)).body).toMatchObject({ id: 'row-4', point: 'point 1' });
    expect(await tagged(map, [3, 5])).toEqual([200, 2]);
  });

  test('content that is added again is told from new one', async () => {
    const { project_id } = await createProject(world, 'again', { unique_id_field: null });
    const repeated = async (): Promise<number> => (await api.get('/__control/journal')).body.summary.repeated;
    const before = await repeated();
    for (const _ of [1, 2])
      expect(await api.post('/v1/project/data/add/arrow', allRows(project_id, null, false))).toMatchObject({ status: 200 });
    expect((await repeated()) - before).toBe(1);
  });

  test('resources are made of it: words of groups, columns beside tiles, pictures', async () => {
    const groups = { CLUSTER_ASSIGNMENT: 'groups' };
    const colored = Object.fromEntries(
      ['x', 'y', 'tix', 'rix', 'Value', 'rank'].map((name) => [
        `colored by ${name}`,
        { of: 'OPENGRAPH_IMAGE', with: { map_id: ofModel.map, color_column: name } },
      ]),
    );
    const named = Object.fromEntries(
      ['depth_1', 'depth_2', 'topic'].map((name) => [
        `words of ${name}`,
        { of: 'KEYWORDS_TOPIC_LABEL', on: groups, with: { target_field: name } },
      ]),
    );
    const resources = await made(world, ofModel.project, {
      ...tree,
      tree: { ...tree.tree, with: { colorable_fields: ['tix', 'x'] } },
      groups: { of: 'CLUSTER_ASSIGNMENT', on: { EMBEDDING_SET_INFERRED: 'vectors' } },
      about: { of: 'CHECKPOINT_DESCRIPTION', on: { DATASET_CHECKPOINT: 'rows' } },
      columns: {
        of: 'SIDECAR_FROM_DATA_TABLE',
        on: { QUADTREE: 'tree', DATASET_CHECKPOINT: 'rows' },
        with: { column_names: taken },
      },
      ...named,
      ...colored,
    });
    const failed = Object.entries(resources).filter(([, { status }]) => status !== 'COMPLETED');
    expect(failed.map(([name, { error }]) => [name, error])).toEqual([]);
  });

  test.each(['point', 'SHORT', 'topic', 'row', 'distance', 'similarity', 'pending'])('the ids may stand in %j', async (idField) => {
    const of = await mapped(world, idField, true);
    expect((await neighborsOf(api, of, 0)).neighbors).toEqual([['row-0', 'row-3']]);
    const [shares] = await asked(api, '/v1/project/data/get/embedding/topic', { atlas_index_id: of.index, queries: [near(1)], k: 9 });
    expect(Object.keys(shares)).not.toHaveLength(0);
    expect(await tagged(of.map, [3, 5])).toEqual([200, 2]);
    const { datums } = await asked(api, '/v1/project/data/get', { project_id: of.project, datum_ids: ['row-8'] });
    expect(datums).toMatchObject([{ [idField]: 'row-8', text: 'text 2' }]);
  });
});

/** Tags points on the page of a map: the status, and how many were tagged. */
async function tagged(map: string, points: readonly number[]): Promise<[status: number, tagged: number]> {
  const body = new Uint8Array(Uint32Array.from(points).buffer);
  const { status, body: said } = await api.post(`/pages/maps/${map}/tag?name=few&operation=add`, body, {
    'content-type': 'application/octet-stream',
  });
  return [status, said.points_tagged];
}
