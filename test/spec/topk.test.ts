import { Utf8 } from 'apache-arrow';
import sharp from 'sharp';
import { expect } from 'vitest';
import type { InputOf } from '../../client/invoke.ts';
import { arrowFile, built, createProject, indexOrder } from '../service/world.ts';
import { all, useMap } from './map-points.ts';
import { misfitsOf } from './misfits.ts';
import { refusalOf, usePlace } from './place.ts';
import { proves } from './proves.ts';
import { towards, useVectorMap } from './vector-map.ts';

const place = usePlace();
const texts = useMap(place);
const vectors = useVectorMap(place);

type Search = InputOf<'maps.query.topk'>;

/** Results of a search, in their order. */
const resultsOf = async (search: Search): Promise<Readonly<Record<string, unknown>>[]> => {
  const answer = await place().calls.invoke('maps.query.topk', search);
  return Array.isArray(answer) ? answer : answer.data;
};
/** Of the map of own vectors, where the nearest of [1, 0] are p0, p1, p2 and so on. */
const nearest = (more: Partial<Search> = {}): Search => ({
  projection_id: vectors().map,
  k: 3,
  fields: ['id'],
  query: towards(0),
  ...more,
});
const idsOf = async (more: Partial<Search> = {}): Promise<unknown[]> => (await resultsOf(nearest(more))).map(({ id }) => id);
const misfits = async (more: { [Field in keyof Search]?: unknown }) =>
  misfitsOf(await place().api.post('/v1/query/topk', { ...nearest(), ...more }));

proves(['maps:POST /v1/query/topk.1'], 'a search needs map, k, fields and query, and does without a selection', async () => {
  for (const field of ['projection_id', 'k', 'fields', 'query'] as const)
    expect(await misfits({ [field]: undefined })).toEqual([422, `body.${field}`]);
  expect(await idsOf()).toEqual(['p0', 'p1', 'p2']);
});

proves(['maps:top-k-request/projection_id'], 'a search names its map by uuid and finds points of that map alone', async () => {
  for (const projection_id of [7, 'map', null]) expect(await misfits({ projection_id })).toEqual([422, 'body.projection_id']);
  const ofTexts = await resultsOf(nearest({ projection_id: texts().map, query: 'ship', k: 60 }));
  expect(ofTexts.map(({ id }) => id)).toEqual(expect.arrayContaining(['row-0', 'row-59']));
  expect(await idsOf({ k: 100 })).toEqual(Array.from({ length: 40 }, (_, point) => `p${point}`));
  const unknown = '00000000-0000-4000-8000-000000000000';
  expect(String((await refusalOf(resultsOf(nearest({ projection_id: unknown })))).body)).toContain(unknown);
});

proves(['maps:top-k-request/k'], 'k is the number of nearest results, an integer; a map of fewer points gives all of them', async () => {
  for (const k of [1, 2, 17, 40]) expect(await idsOf({ k })).toEqual(Array.from({ length: k }, (_, point) => `p${point}`));
  expect(await idsOf({ k: 41 })).toHaveLength(40);
  for (const k of [2.5, '3', [3], null]) expect(await misfits({ k })).toEqual([422, 'body.k']);
});

proves(['maps:top-k-request/fields'], 'each result carries the columns that fields lists, and no others', async () => {
  const rows = async (fields: string[]) => {
    const results = await resultsOf({ projection_id: texts().map, k: 5, query: 'storm number 20', fields });
    return results.map(({ _similarity, ...columns }) => columns);
  };
  expect((await rows(['year', 'id']))[0]).toEqual({ year: 1_920, id: 'row-20' });
  expect((await rows(['text', 'score']))[0]).toEqual({ text: 'storm number 20', score: 2 });
  for (const row of await rows(['text'])) expect(Object.keys(row)).toEqual(['text']);
  for (const fields of ['id', [7], { id: true }, null]) expect((await misfits({ fields }))[0]).toBe(422);
  expect((await refusalOf(rows(['id', 'colour']))).body).toContain('colour');
});

proves(['maps:top-k-request/query'], 'the query is a text or an array of numbers, and nothing else', async () => {
  expect(await resultsOf({ projection_id: texts().map, k: 1, fields: ['id'], query: 'bread number 5' })).toMatchObject([{ id: 'row-5' }]);
  expect(await idsOf({ query: towards(30), k: 1 })).toEqual(['p30']);
  for (const query of [7, true, { text: 'ship' }, ['ship'], [1, '0'], null]) expect((await misfits({ query }))[0]).toBe(422);
});

proves(['maps:top-k-request/query.1'], 'a text finds what the vector finds that the text model makes of it', async () => {
  const query = 'bread and engine';
  const { embeddings } = await place().calls.invoke('maps.embedding.text', { texts: [query], task_type: 'search_query' });
  const search = { projection_id: texts().map, k: 60, fields: ['id'] };
  const [byText, byVector] = await Promise.all([resultsOf({ ...search, query }), resultsOf({ ...search, query: embeddings[0]! })]);
  expect(byText).toHaveLength(60);
  for (const [at, { id, _similarity }] of byText.entries())
    expect(byVector[at]).toEqual({ id, _similarity: expect.closeTo(Number(_similarity), 5) });
  // The words count: no such thing shows for another text.
  expect((await resultsOf({ ...search, query: 'storm' })).map(({ id }) => id)).not.toEqual(byText.map(({ id }) => id));
});

proves(
  [
    'maps:top-k-request/query.2',
    'maps:limits/query-vector-length-equals-the-dataset-embedding-dimensionality-768-for-the-service-s-own-text-and-image-models',
  ],
  'a vector has as many numbers as those of the map: 768 where its text was embedded, otherwise those of the own vectors',
  async () => {
    const ofLength = (length: number): number[] => Array.from({ length }, (_, at) => at + 1);
    for (const length of [1, 3, 768]) expect(await misfits({ query: ofLength(length) })).toEqual([422, 'body.query']);
    expect(await misfits({ query: ofLength(2) })).toEqual([200]);
    for (const length of [1, 2, 767, 769])
      expect(await misfits({ projection_id: texts().map, query: ofLength(length) })).toEqual([422, 'body.query']);
    expect(await misfits({ projection_id: texts().map, query: ofLength(768) })).toEqual([200]);
  },
);

/** A small picture of one grey. */
const plain = (grey: number): Promise<Buffer> =>
  sharp({ create: { width: 32, height: 32, channels: 3, background: { r: grey, g: grey, b: grey } } })
    .png()
    .toBuffer();

proves(
  ['maps:top-k-request/query.3'],
  'vectors of the service have 768 numbers, whether its model is one of text or of images',
  async () => {
    const { api, calls } = place();
    const { project_id } = await createProject(place(), 'pictures');
    const blobs = await Promise.all(Array.from({ length: 20 }, async (_, at) => new Blob([new Uint8Array(await plain(at))])));
    const { hashes } = await calls.invoke('maps.blobs.add', { dataset_id: project_id, blobs });
    const column = (values: (string | null)[]) => ({ type: new Utf8(), values });
    const columns = { id: column(hashes.map((_, at) => `p${at}`)), _blob_hash: column(hashes) };
    await calls.invoke('maps.data.addArrow', { body: arrowFile({ project_id }, columns) });
    const order = indexOrder(project_id, { indexed_field: '_blob_hash', model: 'svc-embed-vision-v1' });
    const { job_id, projection_id: ofImages } = await calls.invoke('maps.indices.create', order);
    expect(await built(api, job_id)).toBe('Completed');
    for (const projection_id of [texts().map, ofImages!]) {
      const query = Array.from({ length: 768 }, (_, at) => at + 1);
      expect(await resultsOf({ projection_id, k: 2, fields: ['id'], query })).toHaveLength(2);
      for (const length of [512, 767, 769, 1_024])
        expect(await misfits({ projection_id, query: Array.from({ length }, () => 1) })).toEqual([422, 'body.query']);
    }
  },
);

const odd = all({ method: 'category', field: 'kind', values: ['odd'] });
const far = all({ method: 'category', field: 'id', values: ['p20', 'p21', 'p22', 'p30', 'p39'] });

proves(
  ['maps:top-k-request/selection', 'maps:top-k-request/selection.1'],
  'a search may have a selection: only points that it matches are results, and without one every point may be',
  async () => {
    expect(await idsOf({ selection: odd, k: 4 })).toEqual(['p1', 'p3', 'p5', 'p7']);
    expect(await idsOf({ selection: odd, k: 40 })).toHaveLength(20);
    expect(await idsOf({ selection: all({ method: 'category', field: 'kind', values: ['none'] }) })).toEqual([]);
    expect(await idsOf({ k: 4 })).toEqual(['p0', 'p1', 'p2', 'p3']);
    const leaf = { method: 'category', field: 'kind', values: ['odd'] };
    for (const selection of [leaf, 'odd', []]) expect((await misfits({ selection }))[0]).toBe(422);
  },
);

proves(
  ['maps:top-k-request/selection.2', 'maps:top-k-request/selection.3'],
  'the nearest are taken from the points of the selection: it does not thin out the nearest of the whole map',
  async () => {
    const [overall, within] = [await idsOf({ k: 5 }), await idsOf({ k: 5, selection: far })];
    expect(within).toEqual(['p20', 'p21', 'p22', 'p30', 'p39']);
    // What is near and selected at once is none of them.
    expect(overall.filter((id) => within.includes(id))).toEqual([]);
    expect(await idsOf({ k: 2, selection: far })).toEqual(['p20', 'p21']);
    expect(await idsOf({ k: 2, selection: far, query: towards(39) })).toEqual(['p39', 'p30']);
  },
);

proves(
  ['maps:POST /v1/query/topk.2', 'maps:what-the-service-does/8'],
  'a search by text or vector, within a selection or not, returns the most similar points with the fields asked for, the closest first',
  async () => {
    const results = await resultsOf(nearest({ query: towards(10.4), k: 5, fields: ['id', 'kind'] }));
    expect(results.map(({ id, kind }) => [id, kind])).toEqual([
      ['p10', 'even'],
      ['p11', 'odd'],
      ['p9', 'odd'],
      ['p12', 'even'],
      ['p8', 'even'],
    ]);
    expect((await resultsOf(nearest({ query: towards(10.4), k: 3, selection: odd }))).map(({ id }) => id)).toEqual(['p11', 'p9', 'p13']);
    const engines = { projection_id: texts().map, k: 6, fields: ['text'], query: 'engine' };
    for (const { text } of await resultsOf(engines)) expect(text).toMatch(/^engine number/);
    const early = all({ method: 'range', field: 'year', range: [1899.5, 1920.5] });
    const found = (await resultsOf({ ...engines, selection: early, k: 2 })).map(({ text }) => text);
    expect(new Set(found)).toEqual(new Set(['engine number 6', 'engine number 15']));
    const order = (await resultsOf(nearest({ k: 40, query: towards(25) }))).map(({ _similarity }) => Number(_similarity));
    expect(order).toEqual(order.toSorted((a, b) => b - a));
  },
);
