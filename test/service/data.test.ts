import { zstdCompressSync } from 'node:zlib';
import {
  Bool,
  CompressionType,
  DateDay,
  Dictionary,
  FixedSizeList,
  Field,
  Float16,
  Float32,
  Float64,
  Int32,
  Int64,
  Null,
  RecordBatchFileWriter,
  TimestampMillisecond,
  TimestampNanosecond,
  Uint8,
  Utf8,
  compressionRegistry,
  makeData,
  tableFromIPC,
} from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { arrowFileOf } from '../support/arrow-stream.ts';
import { addRows, arrowFile, createProject, createWorld, shardOf } from './world.ts';

const utf8 = new Utf8();

const project = async () => {
  const world = await createWorld();
  const { project_id } = await createProject(world);
  const add = (columns: Parameters<typeof arrowFile>[1], metadata = {}) =>
    world.api.post('/v1/project/data/add/arrow', arrowFile({ project_id, ...metadata }, columns));
  const rows = async (...datum_ids: string[]) => (await world.api.post('/v1/project/data/get', { project_id, datum_ids })).body.datums;
  return { world, project_id, add, rows, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
};
const ids = (...values: unknown[]) => ({ type: utf8, values });

describe('types', () => {
  test('become int32, float32, timestamp[ms] and string; null and empty text the text null', async () => {
    await using p = await project();
    const answer = await p.add({
      id: ids('a', 'b'),
      small: { type: new Uint8(), values: [1, null] },
      big: { type: new Int64(), values: [5n, -7n] },
      double: { type: new Float64(), values: [0.1, null] },
      nano: { type: new TimestampNanosecond(), values: [1_500, null] },
      day: { type: new DateDay(), values: [new Date('2020-01-02'), null] },
      kind: { type: new Dictionary(utf8, new Int32()), values: ['x', 'y'] },
      text: { type: utf8, values: ['', null] },
    });
    expect(answer).toMatchObject({ status: 200, body: { result: 'ok', checkpoint: 1, latest_addition_timestamp: expect.any(Number) } });
    expect(await p.rows('b', 'a')).toEqual([
      { id: 'b', small: null, big: -7, double: null, nano: null, day: null, kind: 'y', text: 'null' },
      { id: 'a', small: 1, big: 5, double: Math.fround(0.1), nano: 1_500, day: Date.parse('2020-01-02'), kind: 'x', text: 'null' },
    ]);
  });

  test.each([
    ['a boolean', { flag: { type: new Bool(), values: [true] } }, 'flag'],
    ['a leading underscore', { _secret: { type: utf8, values: ['x'] } }, '_secret'],
    ['names equal when lower-cased', { name: { type: utf8, values: ['x'] }, Name: { type: utf8, values: ['x'] } }, 'Name'],
    ['an integer beyond int32', { n: { type: new Int64(), values: [3_000_000_000n] } }, 'n'],
    ['a time beyond all dates', { at: { type: new TimestampMillisecond(), values: [2n ** 60n] } }, 'at'],
    ['an id that is such a time', { id: { type: new TimestampMillisecond(), values: [-(2n ** 60n)] } }, 'id'],
  ])('refuse %s', async (_, columns, field) => {
    await using p = await project();
    expect(await p.add({ id: ids('a'), ...columns })).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } });
    expect((await p.world.api.get(`/v1/project/${p.project_id}`)).body).toMatchObject({ total_datums_in_project: 0, project_fields: [] });
  });

  test.each([
    ['NaN', new Float32(), Number.NaN, 'row 2: NaN is not float32: send null where there is no value'],
    ['infinity', new Float32(), -Infinity, 'row 2: -Infinity does not fit float32'],
    ['infinity of double width', new Float64(), Infinity, 'row 2: Infinity does not fit float32'],
    ['more than float32 holds', new Float64(), -1e300, 'row 2: -1e+300 does not fit float32'],
  ])('a column of numbers never loses one: %s is refused with its row, and what fits is kept', async (_, type, lost, message) => {
    await using p = await project();
    const rows = (...values: (number | null)[]) => ({ id: ids('a', 'b', 'c'), n: { type, values } });
    const { status, body } = await p.add(rows(1.5, lost, 2));
    expect([status, body.detail[0]]).toEqual([422, { loc: ['body', 'n'], msg: message, type: 'value_error' }]);
    const most = 3.4028234663852886e38;
    expect((await p.add(rows(1.5, null, most))).status).toBe(200);
    const read = await p.world.api.post('/v1/project/data/get', { project_id: p.project_id, datum_ids: ['a', 'b', 'c'] });
    expect(read.body.datums.map(({ n }: { n: number | null }) => n)).toEqual([1.5, null, most]);
  });

  test('a vector with a number beyond float32 is refused with its row', async () => {
    await using p = await project();
    const type = new FixedSizeList(2, new Field('item', new Float64(), true));
    const answer = await p.add({
      id: ids('a', 'b'),
      _embeddings: {
        type,
        values: [
          [1, 2],
          [1, 1e39],
        ],
      },
    });
    expect([answer.status, answer.body.detail[0].msg]).toEqual([422, 'row 2 holds NaN, infinity, null or a number beyond float32']);
  });

  test('own vectors are kept, of one length, without NaN', async () => {
    await using p = await project();
    const vectors = (size: number, ...values: number[][]) => ({
      type: new FixedSizeList(size, new Field('item', new Float16(), true)),
      values,
    });
    expect((await p.add({ id: ids('a'), _embeddings: vectors(2, [Number.NaN, 1]) })).status).toBe(422);
    expect((await p.add({ id: ids('a'), _embeddings: vectors(2, [0.5, 1]) })).status).toBe(200);
    expect((await p.add({ id: ids('b'), _embeddings: vectors(3, [1, 2, 3]) })).status).toBe(422);
    expect((await p.world.api.get(`/v1/project/${p.project_id}`)).body.modality).toBe('embedding');
  });
});

describe('ids', () => {
  test.each([
    ['37 characters', ['x'.repeat(37)], /37 characters/],
    ['null', [null], /empty/],
    ['one twice in a shard', ['a', 'a'], /twice/],
  ])('refuse %s', async (_, values, message) => {
    await using p = await project();
    const answer = await p.add({ id: ids(...values), text: { type: utf8, values: values.map(() => 'x') } });
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0].msg).toMatch(message);
  });

  test('known ones are a conflict that writes nothing, or are skipped where the shard says so', async () => {
    await using p = await project();
    await addRows(p.world.api, p.project_id, 10);
    const conflict = await addRows(p.world.api, p.project_id, 10, { from: 5, ignore: false });
    expect(conflict).toMatchObject({ status: 409, body: { detail: expect.stringContaining('Insert failed due to ID conflict') } });
    const count = async () => (await p.world.api.get(`/v1/project/${p.project_id}`)).body.total_datums_in_project;
    expect(await count()).toBe(10);
    expect((await addRows(p.world.api, p.project_id, 10, { from: 5 })).status).toBe(200);
    expect(await count()).toBe(15);
    await addRows(p.world.api, p.project_id, 10, { from: 5 });
    expect(await count()).toBe(15);
    expect((await p.world.api.get('/__control/journal')).body.summary).toEqual({ effects: 3, repeated: 0, harmless: 1 });
  });

  test('are made by the service where a project names no field', async () => {
    await using world = await createWorld();
    const { project_id } = await createProject(world, 'auto', { unique_id_field: null });
    await world.api.post('/v1/project/data/add/arrow', arrowFile({ project_id }, { text: { type: utf8, values: ['x', 'y'] } }));
    expect((await world.api.post('/v1/project/data/get', { project_id, datum_ids: ['AQ', 'AA'] })).body.datums).toEqual([
      { id_: 'AQ', text: 'y' },
      { id_: 'AA', text: 'x' },
    ]);
    const many = { text: { type: utf8, values: Array.from({ length: 300 }, (_, at) => `t${at}`) } };
    await world.api.post('/v1/project/data/add/arrow', arrowFile({ project_id }, many));
    // Rows 255 and 256 of the dataset.
    expect((await world.api.post('/v1/project/data/get', { project_id, datum_ids: ['/w', 'AQA'] })).body.datums).toMatchObject([
      { text: 't253' },
      { text: 't254' },
    ]);
  });

  test('made by the service are no field of the dataset, whoever asks what it has', async () => {
    await using world = await createWorld();
    const { project_id } = await createProject(world, 'auto', { unique_id_field: null });
    await world.api.post('/v1/project/data/add/arrow', arrowFile({ project_id }, { text: { type: utf8, values: ['x', 'y'] } }));
    const { body } = await world.api.get(`/v1/project/${project_id}`);
    expect([body.unique_id_field, body.project_fields]).toEqual([null, ['text']]);
    expect(tableFromIPC(Buffer.concat([Buffer.from(body.schema, 'base64')])).schema.fields.map(({ name }) => name)).toEqual(['text']);
  });

  test('are counted in characters, or in bytes by a service that does', async () => {
    await using p = await project();
    const long = '\u{1F44D}'.repeat(36);
    const add = (id: string) => p.add({ id: ids(id), text: { type: utf8, values: ['x'] } });
    expect((await add(long)).status).toBe(200);
    expect((await p.rows(long))[0].id).toBe(long);
    expect((await add(`${long}\u{1F44D}`)).body.detail[0].msg).toMatch(/37 characters/);
    await p.world.api.post('/__control/readings', { 'id-length': 'bytes' });
    expect((await add('\u{1F600}'.repeat(10))).body.detail[0].msg).toMatch(/40 bytes/);
  });
});

describe('the first upload fixes the columns', () => {
  test('a missing one is an error, a further one is dropped, another type is cast', async () => {
    await using p = await project();
    await p.add({ id: ids('a'), n: { type: new Int32(), values: [1] } });
    expect(await p.add({ id: ids('b') })).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'n'] }] } });
    expect((await p.add({ id: ids('b'), n: { type: new Float64(), values: [2.9] }, more: { type: utf8, values: ['x'] } })).status).toBe(
      200,
    );
    for (const text of ['many', '  ', '0x10', '0b1', '1_000'])
      expect(await p.add({ id: ids('c'), n: { type: utf8, values: [text] } })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'n'], msg: expect.stringContaining(JSON.stringify(text)) }] },
      });
    expect((await p.add({ id: ids('d', 'e'), n: { type: utf8, values: [' -7 ', '1e3'] } })).status).toBe(200);
    expect(await p.rows('b', 'd', 'e')).toEqual([
      { id: 'b', n: 2 },
      { id: 'd', n: -7 },
      { id: 'e', n: 1_000 },
    ]);
  });

  test('a further one is dropped whatever its type and name, and a wanted one of a bad type is refused', async () => {
    await using p = await project();
    await p.add({ id: ids('a'), n: { type: new Int32(), values: [1] } });
    const more = { flag: { type: new Bool(), values: [true] }, _own: { type: utf8, values: ['x'] }, N: { type: utf8, values: ['x'] } };
    expect((await p.add({ id: ids('b'), n: { type: new Int32(), values: [2] }, ...more })).status).toBe(200);
    expect(await p.rows('b')).toEqual([{ id: 'b', n: 2 }]);
    expect(await p.add({ id: ids('c'), n: { type: new Bool(), values: [true] } })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'n'] }] },
    });
  });
});

describe('shards', () => {
  test('compressed with ZSTD are read, and one that grows too large is refused', async () => {
    await using p = await project();
    // Only decoding is registered by the service.
    compressionRegistry.set(CompressionType.ZSTD, {
      ...compressionRegistry.get(CompressionType.ZSTD),
      encode: (data) => zstdCompressSync(data),
    });
    const compressed = (text: string) => {
      const table = tableFromIPC(arrowFile({ project_id: p.project_id }, { id: ids('a'), text: { type: utf8, values: [text] } }));
      return RecordBatchFileWriter.writeAll(table, { compressionType: CompressionType.ZSTD }).toUint8Array(true);
    };
    const bomb = compressed('x'.repeat(300_000_000));
    expect(bomb.byteLength).toBeLessThan(1_000_000);
    expect((await p.world.api.post('/v1/project/data/add/arrow', bomb)).status).toBe(413);
    expect((await p.world.api.post('/v1/project/data/add/arrow', compressed('wind '.repeat(100)))).status).toBe(200);
    expect(await p.rows('a')).toEqual([{ id: 'a', text: 'wind '.repeat(100) }]);
  });

  test.each([
    ['no Arrow', new TextEncoder().encode('{}'), 422],
    ['without a target', arrowFile({}, { id: ids('a') }), 422],
  ])('%s is refused', async (_, bytes, status) => {
    await using p = await project();
    expect((await p.world.api.post('/v1/project/data/add/arrow', bytes)).status).toBe(status);
  });

  test('above 10,000 rows are too large', async () => {
    await using p = await project();
    expect((await addRows(p.world.api, p.project_id, 10_001)).status).toBe(413);
  });

  test('of one row, 25 side by side, are all there at once', async () => {
    await using p = await project();
    const answers = await Promise.all(Array.from({ length: 25 }, (_, from) => addRows(p.world.api, p.project_id, 1, { from })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await p.world.api.get(`/v1/project/${p.project_id}`)).body.total_datums_in_project).toBe(25);
  });

  test('of an unknown project are a 404', async () => {
    await using p = await project();
    expect((await p.world.api.post('/v1/project/data/add/arrow', shardOf('00000000-0000-4000-8000-000000000000', 1))).status).toBe(404);
  });
});

test('rows come in the order asked for, and all unknown ids are named', async () => {
  await using p = await project();
  await addRows(p.world.api, p.project_id, 30);
  expect((await p.rows('row-9', 'row-0', 'row-9')).map(({ id }: { id: string }) => id)).toEqual(['row-9', 'row-0', 'row-9']);
  const missing = Array.from({ length: 150 }, (_, n) => `ghost-${n}`);
  const answer = await p.world.api.post('/v1/project/data/get', { project_id: p.project_id, datum_ids: ['row-1', ...missing] });
  expect(answer).toMatchObject({ status: 404, body: { detail: `unknown datum ids: ${missing.join(', ')}` } });
});

test('the smallest int32 is a number like any other', async () => {
  await using p = await project();
  expect(await p.add({ id: ids('a', 'b'), n: { type: new Int32(), values: [-2_147_483_648, null] } })).toMatchObject({ status: 200 });
  expect(await p.rows('a')).toEqual([{ id: 'a', n: -2_147_483_648 }]);
});

describe('a hostile file', () => {
  const text = (...offsets: number[]) =>
    makeData({ type: utf8, length: offsets.length - 1, nullCount: 0, valueOffsets: Int32Array.from(offsets), data: Buffer.from('abc') });
  test.each([
    [
      'claims thousands of millions of rows',
      arrowFileOf([['n', makeData({ type: new Null(), length: 2e9 })]], 2e9),
      /claims 2000000000 rows/,
    ],
    ['points past its bytes', arrowFileOf([['id', text(0, 900)]], 1), /points past the end of its values/],
    ['has offsets that fall', arrowFileOf([['id', text(0, 3, 1)]], 2), /offsets that fall/],
    ['is cut off', arrowFileOf([['id', text(0, 1)]], 1).subarray(0, -9), /cut off/],
  ])('that %s is refused by name', async (_, body, reason) => {
    await using p = await project();
    const answer = await p.world.api.post('/v1/project/data/add/arrow', body);
    expect(answer).toMatchObject({ status: 422 });
    expect(JSON.stringify(answer.body)).toMatch(reason);
  });
});
