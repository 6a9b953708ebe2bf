import fc from 'fast-check';
import { Field, FixedSizeList, Float16, Float32, Utf8 } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { readNpy } from '../../service/engine/datasets/npy.ts';
import { arrowFile, built, createMap, createProject, createWorld, indexOrder } from './world.ts';
import type { World } from './world.ts';

const path = '/v1/project/data/get/nearest_neighbors';

/** A map of own vectors of two numbers. */
const createOwn = async (world: World, vectors: number[][], more: object = {}, number: Float32 | Float16 = new Float32()) => {
  const { project_id } = await createProject(world, 'own');
  const added = await world.api.post(
    '/v1/project/data/add/arrow',
    arrowFile(
      { project_id },
      {
        id: { type: new Utf8(), values: vectors.map((_, row) => `p${row}`) },
        _embeddings: { type: new FixedSizeList(2, new Field('item', number, true)), values: vectors },
      },
    ),
  );
  expect(added.status).toBe(200);
  const { body } = await world.api.post('/v1/project/index/create', indexOrder(project_id, { indexed_field: null, model: null, ...more }));
  expect(await built(world.api, body.job_id)).toBe('Completed');
  const { index_id } = (await world.api.get(`/v1/project/index/job/${body.job_id}`)).body;
  return { project_id, index_id: index_id as string, map: body.projection_id as string };
};

const npy = (descr: string, [n, d]: [number, number], data: Uint8Array, fortran = false): string => {
  const header = `{'descr': '${descr}', 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': (${n}, ${d}), }`;
  const padded = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const head = Buffer.from('\u0093NUMPY\u0001\u0000', 'latin1');
  const length = Buffer.alloc(2);
  length.writeUInt16LE(padded.length);
  return Buffer.concat([head, length, Buffer.from(padded, 'latin1'), data]).toString('base64');
};

describe('nearest neighbours', () => {
  const line = Array.from({ length: 30 }, (_, at) => [at * at, 1]);

  test('of points, nearest first, the point itself among them, equal ones in the order of their rows', async () => {
    await using world = await createWorld();
    const { index_id } = await createOwn(world, [...line, [9, 1]]);
    const { body } = await world.api.post(`${path}/by_id`, { atlas_index_id: index_id, datum_ids: ['p3', 'p0', 'p3'], k: 4 });
    expect(body).toEqual({
      neighbors: [
        ['p3', 'p30', 'p2', 'p4'],
        ['p0', 'p1', 'p2', 'p3'],
        ['p3', 'p30', 'p2', 'p4'],
      ],
      distances: [
        [0, 0, 5, 7],
        [0, 1, 4, 9],
        [0, 0, 5, 7],
      ],
    });
    expect((await world.api.post(`${path}/by_id`, { atlas_index_id: index_id, atom_ids: ['p0'] })).body.neighbors[0]).toHaveLength(4);
  });

  test('of vectors as lists and as npy; in the space that the index was ordered with; half floats too', async () => {
    await using world = await createWorld();
    const options = { nearest_neighbor_index_hyperparameters: '{"space":"cosine"}' };
    const { index_id } = await createOwn(world, [[0, 0], ...line.slice(1)], options, new Float16());
    const lists = [
      [1, 1],
      [100, 1],
    ];
    const byLists = (await world.api.post(`${path}/by_embedding`, { atlas_index_id: index_id, queries: lists, k: 30 })).body;
    expect(byLists.neighbors[0][0]).toBe('p1');
    expect(byLists.neighbors[1][0]).toBe('p10');
    // A vector without length is far from all, not in front of them.
    expect(byLists.neighbors.map((ids: string[]) => ids.at(-1))).toEqual(['p0', 'p0']);
    const queries = npy('<f4', [2, 2], new Uint8Array(Float32Array.from(lists.flat()).buffer));
    expect((await world.api.post(`${path}/by_embedding`, { atlas_index_id: index_id, queries, k: 30 })).body).toEqual(byLists);
  });

  test('are refused where they cannot be found, with the reason', async () => {
    await using world = await createWorld();
    const { index_id } = await createOwn(world, line);
    const byId = (more: object) => world.api.post(`${path}/by_id`, { atlas_index_id: index_id, ...more });
    const byEmbedding = (queries: unknown) => world.api.post(`${path}/by_embedding`, { atlas_index_id: index_id, queries });
    expect(await byId({ datum_ids: ['p1', 'none', 'nil'] })).toMatchObject({
      status: 404,
      body: { detail: 'unknown datum ids: none, nil' },
    });
    expect([(await byId({})).status, (await byId({ datum_ids: ['p1'], atom_ids: ['p1'] })).status]).toEqual([422, 422]);
    for (const queries of [
      [[1, 2, 3]],
      'AAAA',
      npy('<c8', [1, 2], new Uint8Array(16)),
      npy('<f4', [1, 2], new Uint8Array(7)),
      [[1e300, 0]],
    ])
      expect((await byEmbedding(queries)).status).toBe(422);
    const tooMany = { atlas_index_id: index_id, k: 1_001 };
    for (const asked of [
      await world.api.post(`${path}/by_id`, { ...tooMany, datum_ids: ['p1'] }),
      await world.api.post(`${path}/by_embedding`, { ...tooMany, queries: [[1, 2]] }),
    ])
      expect(asked).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'k'], msg: 'too many: 1001, at most 1000' }] } });
    const random = await createMap(world, 40, { indexed_field: null, model: null, projection_hyperparameters: '{"model":"random"}' });
    const { body: job } = await world.api.get(`/v1/project/index/job/${random.job}`);
    expect((await world.api.post(`${path}/by_id`, { atlas_index_id: job.index_id, datum_ids: ['row-1'] })).status).toBe(400);
  });
});

test('an npy of any type of numbers and order is read as it was written', () => {
  const types = {
    f2: { bytes: 2, set: (view: DataView, at: number, value: number, little: boolean) => view.setFloat16(at, value, little) },
    f4: { bytes: 4, set: (view: DataView, at: number, value: number, little: boolean) => view.setFloat32(at, value, little) },
    f8: { bytes: 8, set: (view: DataView, at: number, value: number, little: boolean) => view.setFloat64(at, value, little) },
  };
  fc.assert(
    fc.property(
      fc.constantFrom<keyof typeof types>('f2', 'f4', 'f8'),
      fc.constantFrom('<', '>'),
      fc.boolean(),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.double({ noNaN: true }), { minLength: 25, maxLength: 25 }),
      (type, order, fortran, n, d, numbers) => {
        const { bytes, set } = types[type];
        const view = new DataView(new ArrayBuffer(n * d * bytes));
        for (let row = 0; row < n; row++)
          for (let column = 0; column < d; column++)
            set(view, (fortran ? column * n + row : row * d + column) * bytes, numbers[row * d + column]!, order === '<');
        const stored = (value: number): number => (type === 'f2' ? Math.f16round(value) : type === 'f4' ? Math.fround(value) : value);
        expect(readNpy('queries', npy(`${order}${type}`, [n, d], new Uint8Array(view.buffer), fortran))).toEqual(
          Array.from({ length: n }, (_, row) => numbers.slice(row * d, row * d + d).map(stored)),
        );
      },
    ),
  );
  expect(() => readNpy('queries', 'x')).toThrow('queries');
  const integers = {
    i1: Int8Array.of(-5, 7),
    u1: Uint8Array.of(250, 7),
    i2: Int16Array.of(-300, 7),
    u2: Uint16Array.of(65_000, 7),
    i4: Int32Array.of(-70_000, 7),
    u4: Uint32Array.of(4_000_000_000, 7),
    i8: BigInt64Array.of(-5_000_000_000n, 7n),
    u8: BigUint64Array.of(5_000_000_000n, 7n),
  };
  for (const [type, values] of Object.entries(integers))
    expect(readNpy('queries', npy(`<${type}`, [1, 2], new Uint8Array(values.buffer)))).toEqual([Array.from(values, Number)]);
});
