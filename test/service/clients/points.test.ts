import { tableFromIPC } from 'apache-arrow';
import { beforeAll, describe, expect, test } from 'vitest';
import { createMap } from '../world.ts';
import { useClients } from './place.ts';

const place = useClients();
let made: Awaited<ReturnType<typeof createMap>>;
let index_id: string;
beforeAll(async () => {
  made = await createMap(place(), 60);
  ({ index_id } = (await place().get(`/v1/project/index/job/${made.job}`)).json);
});

const octets = 'application/octet-stream';
const json = 'application/json';

/** A `.npy` as `np.save` writes it, as base64. */
const npy = (descr: string, shape: readonly number[], data: Uint8Array): string => {
  const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`.padEnd(117);
  return Buffer.concat([Buffer.from('\u0093NUMPY\u0001\u0000v\u0000', 'latin1'), Buffer.from(`${header}\n`, 'latin1'), data]).toString(
    'base64',
  );
};

describe('points of a map as public clients ask for them', () => {
  test('neighbours by id as an Arrow file that is not compressed: a row for each point asked for', async () => {
    const asked = { atlas_index_id: index_id, datum_ids: ['row-5', 'row-9'], k: 3 };
    const { status, headers, body } = await place().post('/v1/project/data/get/arrow/nearest_neighbors/by_id', asked);
    expect([status, headers['content-type'], body.toString('latin1', 0, 6)]).toEqual([200, octets, 'ARROW1']);
    const table = tableFromIPC(body);
    const expected = (await place().post('/v1/project/data/get/nearest_neighbors/by_id', asked)).json;
    expect(Array.from(table.getChild('neighbors')! as Iterable<Iterable<string>>, (list) => [...list])).toEqual(expected.neighbors);
    expect(Array.from(table.getChild('distances')! as Iterable<Iterable<number>>, (list) => [...list])).toEqual(expected.distances);
    expect(expected.neighbors.map((list: string[]) => list.length)).toEqual([3, 3]);
  });

  test('neighbours by vectors: lists, and the base64 of an array of floats or of integers', async () => {
    const vector = Array.from({ length: 768 }, (_, at) => at % 3);
    const ask = async (queries: unknown) =>
      (await place().post('/v1/project/data/get/nearest_neighbors/by_embedding', { atlas_index_id: index_id, queries, k: 5 })).json;
    const lists = await ask([vector]);
    expect([lists.neighbors[0].length, lists.distances[0].length]).toEqual([5, 5]);
    expect(await ask(npy('<f4', [1, 768], new Uint8Array(Float32Array.from(vector).buffer)))).toEqual(lists);
    expect(await ask(npy('<i8', [1, 768], new Uint8Array(BigInt64Array.from(vector, BigInt).buffer)))).toEqual(lists);
  });

  test('atoms by id under their ids; rows by id in the order of the request', async () => {
    const atoms = await place().post('/v1/project/atoms/get', { project_id: made.project_id, index_id, atom_ids: ['row-7', 'row-2'] });
    const rows = await place().post('/v1/project/data/get', { project_id: made.project_id, datum_ids: ['row-7', 'row-2'] });
    expect([atoms.status, atoms.headers['content-type'], rows.headers['content-type']]).toEqual([200, json, json]);
    expect(rows.json.datums.map(({ id }: { id: string }) => id)).toEqual(['row-7', 'row-2']);
    expect(atoms.json).toEqual({ atoms: { 'row-7': rows.json.datums[0], 'row-2': rows.json.datums[1] } });
  });

  test('datums by GET as by POST: JSON where it is asked for, else one Arrow file; a wrong one is named where it stood', async () => {
    const path = `/v1/project/projection/${made.map}/datums`;
    const asked = await place().get(`${path}?qid=0-3&qid=0-1&response_type=json&columns=id&columns=year`);
    expect([asked.status, asked.headers['content-type'], asked.json.length]).toEqual([200, json, 2]);
    const posted = await place().post(path, { qids: ['0-3', '0-1'], response_type: 'json', columns: ['id', 'year'] });
    expect(asked.json).toEqual(posted.json);
    const arrow = await place().get(`${path}?qid=0-3&qid=0-1`);
    expect([arrow.status, arrow.headers['content-type']]).toEqual([200, octets]);
    expect([...tableFromIPC(arrow.body).getChild('id')!]).toEqual(asked.json.map(({ id }: { id: string }) => id));
    // As many as by POST, in an address of 200 kB.
    const many = await place().get(`${path}?response_type=json&columns=id${'&qid=0-1'.repeat(9_999)}&qid=0-${'0'.repeat(120_000)}2`);
    expect([many.status, many.json?.length]).toEqual([404, undefined]);
    expect((await place().get(`${path}?response_type=json&columns=id${'&qid=0-1'.repeat(10_000)}`)).json).toHaveLength(10_000);
    const wrong = await place().get(`${path}?qid=0-3&qid=row`);
    expect([wrong.status, wrong.json.detail[0].loc]).toEqual([422, ['query', 'qid', 1]]);
  });

  test('a field that clients send as null is one that they left out', async () => {
    const query = 'ship';
    const topk = await place().post('/v1/query/topk', {
      projection_id: made.map,
      k: 2,
      fields: ['id'],
      query,
      selection: null,
      task_type: null,
    });
    expect([topk.status, topk.json.data.length]).toEqual([200, 2]);
    const filter = { method: 'range', field: 'year', range: [1900, 1901], polarity: null };
    const selection = { method: 'composition', conjunctor: 'ALL', filters: [filter], polarity: null };
    expect((await place().post('/v1/query', { projection_id: made.map, selection })).json).toEqual(['row-0', 'row-1']);
    const created = await place().post('/v1/project/create', {
      organization_id: place().organization.organization_id,
      project_name: 'nulls',
      description: null,
      is_public: null,
      unique_id_field: null,
    });
    expect(created.status).toBe(201);
    const text = await place().post('/v1/embedding/text', { texts: ['ship', ''], task_type: null, dimensionality: null });
    expect(text.status).toBe(200);
    // Also of an empty text the vector has a length: a client that divides by it gets numbers.
    for (const vector of text.json.embeddings as number[][]) expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
    const order = {
      project_id: made.project_id,
      index_name: 'nulls',
      colorable_fields: null,
      indexed_field: 'text',
      model: 'svc-embed-text-v1',
    };
    const more = {
      nearest_neighbor_index: null,
      projection: null,
      topic_model_hyperparameters: null,
      duplicate_detection_hyperparameters: null,
    };
    expect((await place().post('/v1/project/index/create', { ...order, ...more })).status).toBe(200);
  });
});
