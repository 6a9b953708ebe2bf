import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Bool, Dictionary, Float64, Int32, Utf8, tableFromIPC, tableToIPC } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { compressArrow } from '../support/compressed-arrow.ts';
import { startEmbeddingEndpoint } from './embedding-endpoint.ts';
import { startService } from './running.ts';
import type { Running } from './running.ts';
import { addRows, arrowFile, createMap, createProject, createWorld, indexOrder, shardOf } from './world.ts';
import type { Answer, Api, World } from './world.ts';

const utf8 = new Utf8();

type Started = { upload_id: string; object_id: string; part_urls: { part_number: number; url: string }[] };
type Etag = { part_number: number | string; etag: string };

const start = async (api: Api, projectId: string, file: Uint8Array, more: object = {}): Promise<Started> => {
  const answer = await api.post(`/v1/project/${projectId}/data/upload/start`, {
    file_type: 'feather',
    file_size: file.byteLength,
    ...more,
  });
  if (answer.status !== 201) throw new Error(`start: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};

const put = async (
  send: (request: Request) => Promise<Response>,
  url: string,
  bytes: Uint8Array,
): Promise<{ status: number; etag: string | null; text: string }> => {
  const answer = await send(new Request(url, { method: 'PUT', body: bytes as Uint8Array<ArrayBuffer> }));
  return { status: answer.status, etag: answer.headers.get('etag'), text: await answer.text() };
};

const sliceOf = (file: Uint8Array, partSize: number, number: number): Uint8Array =>
  file.subarray((number - 1) * partSize, number * partSize);

const putAll = async (
  { fetch: send }: { fetch: (request: Request) => Promise<Response> },
  { part_urls }: Started,
  file: Uint8Array,
  partSize: number,
): Promise<Etag[]> =>
  Promise.all(
    part_urls.map(async ({ part_number, url }) => {
      const { status, etag } = await put(send, url, sliceOf(file, partSize, part_number));
      expect(status).toBe(200);
      return { part_number, etag: etag! };
    }),
  );

const complete = (api: Api, projectId: string, { upload_id, object_id }: Started, part_etags: Etag[], more: object = {}): Promise<Answer> =>
  api.post(`/v1/project/${projectId}/data/upload/complete`, { upload_id, object_id, part_etags, file_type: 'feather', ...more });

const upload = async (world: World, projectId: string, file: Uint8Array, partSize = 16 * 1024 * 1024): Promise<Answer> => {
  const started = await start(world.api, projectId, file, { part_size: partSize });
  return complete(world.api, projectId, started, await putAll(world.service, started, file, partSize));
};

const rowsOf = async (api: Api, project_id: string): Promise<number> =>
  (await api.get(`/v1/project/${project_id}`)).body.total_datums_in_project;

const project = async (options: Parameters<typeof createWorld>[0] = {}) => {
  const world = await createWorld(options);
  const { project_id } = await createProject(world);
  return {
    world,
    api: world.api,
    project_id,
    rows: () => rowsOf(world.api, project_id),
    journal: async () => (await world.api.get('/__control/journal')).body,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
};

const ids = (...values: string[]) => ({ type: utf8, values });

test.each([
  ['skipped', 59],
  ['lost', 59],
  ['replaces', 60],
] as const)('an id that waits for its deletion is uploaded as the reading %s says', async (reading, left) => {
  await using world = await createWorld({ assume: { 'readded-id': reading } });
  const { project_id } = await createMap(world, 60);
  await world.api.post('/v1/project/data/delete', { project_id, datum_ids: ['row-5'] });
  expect((await upload(world, project_id, shardOf(project_id, 60))).status).toBe(201);
  await world.api.post('/v1/project/update_indices', { project_id });
  expect(await rowsOf(world.api, project_id)).toBe(left);
});

test('an upload that cannot be begun is refused and leaves no record', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  const begin = (file_size: number, part_size: number) =>
    world.api.post(`/v1/project/${project_id}/data/upload/start`, { file_type: 'feather', file_size, part_size });
  expect(await begin(Number.MAX_SAFE_INTEGER, 2 ** 50)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'file_size'] }] } });
  const records = new DatabaseSync(join(world.dataDir, 'uploads.sqlite'), { readOnly: true });
  const kept = () => records.prepare('SELECT count(*) AS uploads FROM uploads').get();
  try {
    expect((await begin(1_000, 1_000)).status).toBe(201);
    rmSync(join(world.dataDir, 'uploads'), { recursive: true });
    writeFileSync(join(world.dataDir, 'uploads'), 'no folder');
    expect((await begin(1_000, 1_000)).status).toBe(500);
    expect(kept()).toMatchObject({ uploads: 1 });
  } finally {
    records.close();
  }
});

describe('a file', () => {
  test.each(['plain', 'zstd', 'lz4'] as const)('in parts becomes rows, with an ETag for each part: %s', async (codec) => {
    await using p = await project();
    const plain = shardOf(p.project_id, 12_000);
    const file = codec === 'plain' ? plain : compressArrow(plain, codec);
    const partSize = 50_000;
    const started = await start(p.api, p.project_id, file, { part_size: partSize });
    expect(started.part_urls.map(({ part_number }) => part_number)).toEqual(
      Array.from({ length: Math.ceil(file.byteLength / partSize) }, (_, at) => at + 1),
    );
    const etags = await putAll(p.world.service, started, file, partSize);
    for (const { part_number, etag } of etags)
      expect(etag).toBe(
        `"${createHash('md5')
          .update(sliceOf(file, partSize, Number(part_number)))
          .digest('hex')}"`,
      );
    const answer = await complete(p.api, p.project_id, started, etags);
    expect(answer).toMatchObject({ status: 201, body: { result: 'ok', checkpoint: 1, metadata: {} } });
    expect(await p.rows()).toBe(12_000);
    const datum_ids = ['row-0', 'row-4999', 'row-5000', 'row-11999'];
    expect((await p.api.post('/v1/project/data/get', { project_id: p.project_id, datum_ids })).body.datums).toEqual(
      [0, 4_999, 5_000, 11_999].map((row) => ({
        id: `row-${row}`,
        text: expect.stringMatching(new RegExp(` number ${row}$`)),
        year: 1900 + (row % 100),
        score: Math.fround(row / 10),
        when: row * 86_400_000,
      })),
    );
    const { rows } = await p.journal();
    expect(rows.filter(({ operation }: { operation: string }) => operation === 'maps.uploads.complete')).toMatchObject([
      { subject: `dataset/${p.project_id}`, changed: 12_000 },
    ]);
    // Its bytes are not kept beside its rows.
    expect(await readdir(join(p.world.dataDir, 'uploads'))).toEqual([]);
  });

  test('a dictionary, nulls and wider numbers become what the table rules say', async () => {
    await using p = await project();
    const file = compressArrow(
      arrowFile(
        { on_id_conflict_ignore: 'true' },
        {
          id: ids('a', 'b', 'c'),
          kind: { type: new Dictionary(utf8, new Int32()), values: ['x', null, 'x'] },
          text: { type: utf8, values: ['', null, 'é'] },
          n: { type: new Float64(), values: [1.5, null, 3] },
        },
      ),
      'zstd',
    );
    expect((await upload(p.world, p.project_id, file)).status).toBe(201);
    expect((await p.api.post('/v1/project/data/get', { project_id: p.project_id, datum_ids: ['a', 'b', 'c'] })).body.datums).toEqual([
      { id: 'a', kind: 'x', text: 'null', n: 1.5 },
      { id: 'b', kind: 'null', text: 'null', n: null },
      { id: 'c', kind: 'x', text: 'é', n: 3 },
    ]);
  });

  test('of many small batches and of one large one keeps the order of its rows', async () => {
    await using p = await project();
    const table = tableFromIPC(shardOf(p.project_id, 7_000));
    const cuts = Array.from({ length: 700 }, (_, at) => table.slice(at * 10, at * 10 + 10));
    expect((await upload(p.world, p.project_id, tableToIPC(cuts[0]!.concat(...cuts.slice(1)), 'file'))).status).toBe(201);
    expect((await upload(p.world, p.project_id, shardOf(p.project_id, 13_000))).status).toBe(201);
    expect(await p.rows()).toBe(13_000);
    for (let from = 0; from < 13_000; from += 1_000) {
      const datum_ids = Array.from({ length: 1_000 }, (_, row) => `row-${from + row}`);
      const { datums } = (await p.api.post('/v1/project/data/get', { project_id: p.project_id, datum_ids })).body;
      expect(datums.every(({ year }: { year: number }, row: number) => year === 1900 + (row % 100))).toBe(true);
    }
  });
});

describe('known ids', () => {
  test('are skipped where the file says so, and refused with nothing written where not', async () => {
    await using p = await project();
    await addRows(p.api, p.project_id, 10);
    expect((await upload(p.world, p.project_id, shardOf(p.project_id, 6_000, { from: 5, ignore: false }))).status).toBe(409);
    expect(await p.rows()).toBe(10);
    expect((await upload(p.world, p.project_id, shardOf(p.project_id, 6_000, { from: 5 }))).status).toBe(201);
    expect(await p.rows()).toBe(6_005);
    // Another upload of the same rows adds nothing.
    expect((await upload(p.world, p.project_id, shardOf(p.project_id, 6_000, { from: 5 }))).status).toBe(201);
    expect(await p.rows()).toBe(6_005);
    expect((await p.journal()).summary).toMatchObject({ repeated: 0, harmless: 1 });
  });

  test('a file whose rows have no ids stands twice when it is uploaded twice, also after others were deleted', async () => {
    await using p = await project();
    const { project_id } = await createProject(p.world, 'auto', { unique_id_field: null });
    const file = arrowFile({}, { text: { type: new Utf8(), values: ['a', 'b'] } });
    await upload(p.world, project_id, file);
    await upload(p.world, project_id, arrowFile({}, { text: { type: new Utf8(), values: ['c'] } }));
    await p.api.post('/v1/project/data/delete', { project_id, datum_ids: ['Ag'] });
    await upload(p.world, project_id, file);
    expect((await p.journal()).summary.repeated).toBe(1);
  });

  test('an id that occurs twice in the file is refused, near and far', async () => {
    await using p = await project();
    const twice = (far: number) =>
      arrowFile({ on_id_conflict_ignore: 'true' }, { id: ids(...Array.from({ length: far }, (_, row) => `row-${row}`), 'row-1') });
    for (const far of [3, 11_000]) {
      const answer = await upload(p.world, p.project_id, twice(far));
      expect(answer).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'id'], msg: expect.stringContaining('"row-1" occurs twice') }] },
      });
    }
    expect(await p.rows()).toBe(0);
  });
});

describe('a completion', () => {
  const partSize = 100_000;

  test('repeated, also beside the first, gives the same answer and adds nothing', async () => {
    await using p = await project();
    const file = shardOf(p.project_id, 8_000);
    const started = await start(p.api, p.project_id, file, { part_size: partSize });
    const etags = await putAll(p.world.service, started, file, partSize);
    const answers = await Promise.all([1, 2, 3].map(() => complete(p.api, p.project_id, started, etags)));
    answers.push(
      await complete(
        p.api,
        p.project_id,
        started,
        etags.map(({ part_number, etag }) => ({ part_number: String(part_number), etag })),
      ),
    );
    for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 201, body: answers[0]!.body });
    expect(await p.rows()).toBe(8_000);
    expect((await p.journal()).rows.filter(({ operation }: { operation: string }) => operation === 'maps.uploads.complete')).toHaveLength(
      1,
    );
  });

  test('is refused with a wrong, missing, unknown, doubled or short part, and succeeds afterwards', async () => {
    await using p = await project();
    const file = shardOf(p.project_id, 8_000);
    const started = await start(p.api, p.project_id, file, { part_size: partSize });
    const [first, ...others] = started.part_urls;
    const short = await put(p.world.service.fetch, first!.url, file.subarray(0, 10));
    expect(short.status).toBe(200);
    const rest = await Promise.all(
      others.map(async ({ part_number, url }) => ({
        part_number,
        etag: (await put(p.world.service.fetch, url, sliceOf(file, partSize, part_number))).etag!,
      })),
    );
    const refused = async (etags: Etag[], msg: string): Promise<void> =>
      expect(await complete(p.api, p.project_id, started, etags)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'part_etags'], msg: expect.stringContaining(msg) }] },
      });
    await refused([{ part_number: 1, etag: short.etag! }, ...rest], 'holds 10 of its 100000 bytes');
    const { etag } = await put(p.world.service.fetch, first!.url, sliceOf(file, partSize, 1));
    const whole = { part_number: 1, etag: etag! };
    await refused([{ part_number: 1, etag: short.etag! }, ...rest], 'is not that of the part');
    await refused(rest, 'part 1 of');
    await refused([whole, whole, ...rest], 'named twice');
    await refused([whole, ...rest, { part_number: 99, etag: etag! }], 'no part 99');
    expect(await p.rows()).toBe(0);
    // Order and quotes do not matter.
    const shuffled = [...rest.toReversed(), whole].map((each) => ({ ...each, etag: each.etag.replaceAll('"', '') }));
    expect((await complete(p.api, p.project_id, started, shuffled)).status).toBe(201);
    expect(await p.rows()).toBe(8_000);
  });

  test('does not wait for a sender that went silent, whose part came another way', async () => {
    await using p = await project();
    const file = shardOf(p.project_id, 2_000);
    const started = await start(p.api, p.project_id, file, { part_size: partSize });
    const { url } = started.part_urls[0]!;
    const silent = p.world.service.fetch(
      new Request(url, { method: 'PUT', duplex: 'half', body: ReadableStream.from(never(file.subarray(0, 1_000))) }),
    );
    const etags = await putAll(p.world.service, started, file, partSize);
    expect((await complete(p.api, p.project_id, started, etags)).status).toBe(201);
    expect((await silent).status).toBe(409);
    expect(await p.rows()).toBe(2_000);
  });

  test('of another object, type, dataset or of nothing known is refused', async () => {
    await using p = await project();
    const file = shardOf(p.project_id, 10);
    const started = await start(p.api, p.project_id, file);
    const etags = await putAll(p.world.service, started, file, file.byteLength);
    const other = await createProject(p.world, 'other');
    expect((await complete(p.api, p.project_id, { ...started, object_id: 'x' }, etags)).status).toBe(422);
    expect((await complete(p.api, p.project_id, started, etags, { file_type: 'jpeg' })).status).toBe(422);
    expect((await complete(p.api, other.project_id, started, etags)).status).toBe(404);
    expect((await complete(p.api, p.project_id, { ...started, upload_id: 'x' }, etags)).status).toBe(404);
    // Also while the completion itself is under way.
    let over = false;
    const completing = complete(p.api, p.project_id, started, etags).finally(() => (over = true));
    while (!over) expect((await complete(p.api, other.project_id, started, etags)).status).toBe(404);
    expect((await completing).status).toBe(201);
  });

  test.each([
    ['no Arrow', new TextEncoder().encode('a,b\n1,2\n'), 422, 'magic ARROW1'],
    ['a cut file', shardOf('', 100).subarray(0, 2_000), 422, 'Arrow IPC'],
    ['a type that no dataset takes', arrowFile({}, { id: ids('a'), b: { type: new Bool(), values: [true] } }), 422, 'Bool is not accepted'],
    ['a file for another dataset', shardOf('00000000-0000-4000-8000-000000000000', 1), 422, 'project_id'],
  ])('of %s is a verdict, and the service goes on', async (_, file, status, text) => {
    await using p = await project();
    const answer = await upload(p.world, p.project_id, file);
    expect({ status: answer.status, text: JSON.stringify(answer.body) }).toEqual({ status, text: expect.stringContaining(text) });
    expect(await p.rows()).toBe(0);
    expect((await upload(p.world, p.project_id, shardOf(p.project_id, 5))).status).toBe(201);
  });

  test('while an index is built is refused with 409, and can be sent again', async () => {
    await using endpoint = await startEmbeddingEndpoint();
    await using p = await project({ embedding: endpoint.embedding });
    await addRows(p.api, p.project_id, 30);
    const { body } = await p.api.post('/__control/faults', { operation: 'maps.uploads.complete', do: { hold: 'before' } });
    const file = shardOf(p.project_id, 100);
    const started = await start(p.api, p.project_id, file);
    const etags = await putAll(p.world.service, started, file, file.byteLength);
    const first = complete(p.api, p.project_id, started, etags);
    await p.api.post('/__control/holds/wait', { id: body.id });
    endpoint.holdAfter(0);
    expect((await p.api.post('/v1/project/index/create', indexOrder(p.project_id))).status).toBe(200);
    await p.api.post('/__control/release', { id: body.id });
    expect(await first).toMatchObject({ status: 409, body: { detail: 'Project transaction lock is held' } });
    endpoint.release();
    const done = async (): Promise<boolean> => !(await p.api.get(`/v1/project/${p.project_id}`)).body.insert_update_delete_lock;
    await expect.poll(done).toBe(true);
    expect((await complete(p.api, p.project_id, started, etags)).status).toBe(201);
  });
});

describe('bombs', () => {
  const bomb = (codec: 'zstd' | 'lz4', bytes: number): Uint8Array =>
    compressArrow(arrowFile({}, { id: ids('a'), text: { type: utf8, values: ['x'.repeat(bytes)] } }), codec);

  test.each(['zstd', 'lz4'] as const)('%s: one buffer, and all of them together, end in 413', async (codec) => {
    await using p = await project({ uploads: { maxDecodedBytes: 40_000_000 } });
    const small = bomb(codec, 50_000_000);
    expect(small.byteLength).toBeLessThan(1_000_000);
    expect((await upload(p.world, p.project_id, small)).status).toBe(413);
    // Each buffer fits, all of them together do not.
    const rows = Array.from({ length: 6 }, (_, row) => ({ id: `r${row}`, text: 'y'.repeat(9_000_000) }));
    const tables = rows.map(({ id, text }) => tableFromIPC(arrowFile({}, { id: ids(id), text: { type: utf8, values: [text] } })));
    const many = compressArrow(tableToIPC(tables[0]!.concat(...tables.slice(1)), 'file'), codec);
    expect((await upload(p.world, p.project_id, many)).status).toBe(413);
    expect(await p.rows()).toBe(0);
  });

  test('an LZ4 shard of add/arrow ends in 413', async () => {
    await using p = await project();
    const text = { type: utf8, values: ['x'.repeat(300_000_000)] };
    const shard = compressArrow(arrowFile({ project_id: p.project_id }, { id: ids('a'), text }), 'lz4');
    expect(shard.byteLength).toBeLessThan(2_000_000);
    expect((await p.api.post('/v1/project/data/add/arrow', shard)).status).toBe(413);
  });

  test('a dictionary of few long words for many rows does not fill the disk', async () => {
    await using p = await project({ uploads: { maxDecodedBytes: 40_000_000 } });
    const file = arrowFile(
      {},
      {
        id: ids(...Array.from({ length: 1_000 }, (_, row) => `row-${row}`)),
        text: { type: new Dictionary(utf8, new Int32()), values: Array.from({ length: 1_000 }, () => 'z'.repeat(100_000)) },
      },
    );
    expect(file.byteLength).toBeLessThan(300_000);
    expect((await upload(p.world, p.project_id, file)).status).toBe(413);
  });
});

test('shards of add/arrow with LZ4 buffers are read', async () => {
  await using p = await project();
  const text = `${'-'.repeat(5_000)}${'wind '.repeat(100)}`;
  const shard = compressArrow(arrowFile({ project_id: p.project_id }, { id: ids('a'), text: { type: utf8, values: [text] } }), 'lz4');
  expect(shard.byteLength).toBeLessThan(4_000);
  expect((await p.api.post('/v1/project/data/add/arrow', shard)).status).toBe(200);
  expect((await p.api.post('/v1/project/data/get', { project_id: p.project_id, datum_ids: ['a'] })).body.datums).toEqual([
    { id: 'a', text },
  ]);
});

describe('part URLs', () => {
  test('hold without a key, for their part alone, until they expire', async () => {
    await using p = await project();
    const file = shardOf(p.project_id, 2_000);
    const started = await start(p.api, p.project_id, file, { part_size: 50_000 });
    const [first, second] = started.part_urls.map(({ url }) => url) as [string, string];
    const query = new URL(first).searchParams;
    expect(query.get('X-Amz-Expires')).toBe('3600');
    expect(query.get('X-Amz-Date')).toMatch(/^\d{8}T\d{6}Z$/);
    const bytes = sliceOf(file, 50_000, 1);
    const swapped = new URL(second);
    swapped.search = new URL(first).search;
    for (const url of [swapped.href, first.replace('Expires=3600', 'Expires=7200'), first.split('?')[0]!])
      expect(await put(p.world.service.fetch, url, bytes)).toMatchObject({
        status: 403,
        text: expect.stringContaining('SignatureDoesNotMatch'),
      });
    expect((await put(p.world.service.fetch, first, bytes)).status).toBe(200);
    await p.api.post('/__control/clock', { offsetSeconds: 3_601 });
    expect(await put(p.world.service.fetch, first, bytes)).toMatchObject({
      status: 403,
      text: expect.stringContaining('Request has expired'),
    });
    // A part that came in time stays: a new upload is needed for the others only.
    await p.api.post('/__control/clock', { offsetSeconds: 0 });
    expect((await put(p.world.service.fetch, second, sliceOf(file, 50_000, 2))).status).toBe(200);
  });

  test('take no more bytes than the part has, and keep what was there', async () => {
    await using p = await project();
    const file = shardOf(p.project_id, 2_000);
    const started = await start(p.api, p.project_id, file, { part_size: 50_000 });
    const etags = await putAll(p.world.service, started, file, 50_000);
    expect((await put(p.world.service.fetch, started.part_urls[0]!.url, new Uint8Array(50_001))).status).toBe(413);
    expect((await complete(p.api, p.project_id, started, etags)).status).toBe(201);
  });

  test('keep an acknowledged part whole where a repeat with other bytes breaks off', async () => {
    await using p = await project();
    // So much comes before it breaks off that some of it has gone to the disk.
    const partSize = 600_000;
    const file = shardOf(p.project_id, 20_000);
    const started = await start(p.api, p.project_id, file, { part_size: partSize });
    const etags = await putAll(p.world.service, started, file, partSize);
    const other = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(partSize - 1).fill(7));
      },
      pull(controller) {
        controller.error(new Error('broken off'));
      },
    });
    const request = new Request(started.part_urls[0]!.url, { method: 'PUT', body: other, duplex: 'half' });
    const repeated = await Promise.resolve(p.world.service.fetch(request)).then(
      ({ ok }) => ok,
      () => false,
    );
    expect(repeated).toBe(false);
    expect((await complete(p.api, p.project_id, started, etags)).status).toBe(201);
    expect(await p.rows()).toBe(20_000);
  });

  test('take nothing while the upload is completed', async () => {
    await using p = await project();
    const file = shardOf(p.project_id, 500);
    const started = await start(p.api, p.project_id, file);
    const etags = await putAll(p.world.service, started, file, file.byteLength);
    const order = { operation: 'upload.unpacked', do: { hold: 'before' } };
    const { id } = (await p.api.post('/__control/faults', order)).body as { id: string };
    const completing = complete(p.api, p.project_id, started, etags);
    expect((await p.api.post('/__control/holds/wait', { id })).body).toEqual({ occupied: true });
    expect((await put(p.world.service.fetch, started.part_urls[0]!.url, file)).status).toBe(409);
    await p.api.post('/__control/release', { id });
    expect((await completing).status).toBe(201);
    expect(await p.rows()).toBe(500);
  });

  test('the last of two PUTs of one part counts', async () => {
    await using p = await project();
    const file = shardOf(p.project_id, 2_000);
    const started = await start(p.api, p.project_id, file, { part_size: 50_000 });
    const wrong = await putAll(p.world.service, started, new Uint8Array(file.byteLength), 50_000);
    const right = await putAll(p.world.service, started, file, 50_000);
    expect((await complete(p.api, p.project_id, started, wrong)).status).toBe(422);
    expect((await complete(p.api, p.project_id, started, right)).status).toBe(201);
    expect(await p.rows()).toBe(2_000);
  });
});

describe('a start', () => {
  test.each([
    [{ file_type: 'csv' }, 'not built by the local service'],
    [{ file_size: 20_001, part_size: 2 }, 'at most 10000'],
    [{ file_size: 0 }, 'file_size'],
  ])('of %j is refused', async (more, text) => {
    await using p = await project();
    const answer = await p.api.post(`/v1/project/${p.project_id}/data/upload/start`, { file_type: 'feather', file_size: 10, ...more });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(text);
  });

  test('takes 16 MiB parts where none are asked for', async () => {
    await using p = await project();
    const answer = await p.api.post(`/v1/project/${p.project_id}/data/upload/start`, { file_type: 'feather', file_size: 2 ** 30 });
    expect(answer.body.part_urls).toHaveLength(64);
  });
});

describe('abandoned uploads', () => {
  test('are dropped with their parts when their time is over', async () => {
    await using p = await project();
    const uploads = join(p.world.dataDir, 'uploads');
    const file = shardOf(p.project_id, 10);
    const started = await start(p.api, p.project_id, file);
    const etags = await putAll(p.world.service, started, file, file.byteLength);
    const second = await start(p.api, p.project_id, file);
    expect((await readdir(uploads)).toSorted()).toEqual([started.upload_id, second.upload_id].toSorted());
    await p.api.post('/__control/clock', { offsetSeconds: 86_401 });
    const third = await start(p.api, p.project_id, file);
    expect(await readdir(uploads)).toEqual([third.upload_id]);
    expect((await complete(p.api, p.project_id, started, etags)).status).toBe(404);
  });

  test('go with their project', async () => {
    await using p = await project();
    const file = shardOf(p.project_id, 10);
    await putAll(p.world.service, await start(p.api, p.project_id, file), file, file.byteLength);
    await p.api.post('/v1/project/remove', { project_id: p.project_id });
    expect(await readdir(join(p.world.dataDir, 'uploads'))).toEqual([]);
  });
});

test('the secret of the URLs is for its owner alone', async () => {
  await using p = await project();
  expect(statSync(join(p.world.dataDir, 'url-secret')).mode & 0o777).toBe(0o600);
});

test('a PUT stands in the log of requests under its own name, with its bytes', async () => {
  await using p = await project();
  const file = shardOf(p.project_id, 10);
  await putAll(p.world.service, await start(p.api, p.project_id, file), file, file.byteLength);
  const { rows } = (await p.api.get('/__control/requests')).body;
  expect(rows.filter(({ operation }: { operation: string }) => operation === 'maps.uploads.part')).toMatchObject([
    { status: 200, limit_class: 'maps/part', bytes: file.byteLength },
  ]);
});

describe('after kill -9', () => {
  const partSize = 500_000;

  const running = async (work: (dataDir: string, begin: () => Promise<Running>) => Promise<void>): Promise<void> => {
    const dataDir = mkdtempSync(join(tmpdir(), 'portolan-uploads-'));
    let last: Running | undefined;
    try {
      await work(dataDir, async () => (last = await startService(dataDir)));
    } finally {
      await last?.kill();
      rmSync(dataDir, { recursive: true, force: true });
    }
  };

  /** Completes once more and checks that the rows are there once. */
  const settle = async ({ api }: Running, dataDir: string, project_id: string, started: Started, etags: Etag[], count: number) => {
    const before = await rowsOf(api, project_id);
    expect([0, count]).toContain(before);
    for (let time = 0; time < 2; time += 1) expect((await complete(api, project_id, started, etags)).status).toBe(201);
    expect(await rowsOf(api, project_id)).toBe(count);
    const { rows, summary } = (await api.get('/__control/journal')).body;
    const effects = rows.filter(({ operation }: { operation: string }) => operation === 'maps.uploads.complete');
    expect(effects).toMatchObject([{ changed: count }]);
    expect(summary.repeated).toBe(0);
    // A kill between the commit and the tidying leaves the bytes to the next look.
    expect((await readdir(join(dataDir, 'uploads'))).length).toBeLessThanOrEqual(before === 0 ? 0 : 1);
  };

  test('acknowledged parts are there, and their URLs still hold', async () => {
    await running(async (dataDir, begin) => {
      let service = await begin();
      const { project_id } = await createProject(service);
      const file = shardOf(project_id, 30_000);
      const started = await start(service.api, project_id, file, { part_size: partSize });
      const [last, ...first] = started.part_urls.toReversed();
      const etags = await putAll({ fetch }, { ...started, part_urls: first }, file, partSize);
      // One more is under way, and its sender dies with the service.
      const half = fetch(last!.url, {
        method: 'PUT',
        duplex: 'half',
        body: ReadableStream.from(never(sliceOf(file, partSize, 1).subarray(0, 1_000))),
      });
      await Promise.all([service.kill(), half.catch(() => undefined)]);
      service = await begin();
      const moved = (url: string): string => url.replace(/^http:\/\/[^/]+/, service.ready.url);
      expect((await complete(service.api, project_id, started, etags)).status).toBe(422);
      const { etag } = await put(fetch, moved(last!.url), sliceOf(file, partSize, last!.part_number));
      await settle(service, dataDir, project_id, started, [...etags, { part_number: last!.part_number, etag: etag! }], 30_000);
    });
  });

  test.each([
    ['while the file is unpacked', 'upload.unpacked', 1],
    ['before its rows are added', 'upload.unpacked', 1],
    ['while its rows are added', 'upload.adding', 3],
  ] as const)('%s: all rows or none, and the next completion ends it', async (moment, operation, nth) => {
    await running(async (dataDir, begin) => {
      let service = await begin();
      const { project_id } = await createProject(service);
      const file = shardOf(project_id, 30_000);
      const started = await start(service.api, project_id, file, { part_size: partSize });
      const etags = await putAll({ fetch }, started, file, partSize);
      const { body } = await service.api.post('/__control/faults', { operation, nth, do: { hold: 'before' } });
      const lost = complete(service.api, project_id, started, etags).catch((error: Error) => error);
      // Unpacking begins with a folder, and what follows it is held: the folder stays until it is seen.
      const unpacking = async () => (await readdir(join(dataDir, 'uploads', started.upload_id))).some((name) => name.startsWith('rows-'));
      if (moment === 'while the file is unpacked') await expect.poll(unpacking, { interval: 1 }).toBe(true);
      else expect((await service.api.post('/__control/holds/wait', { id: body.id })).body).toEqual({ occupied: true });
      await service.kill();
      expect(await lost).toBeInstanceOf(Error);
      service = await begin();
      expect(await rowsOf(service.api, project_id)).toBe(0);
      await settle(service, dataDir, project_id, started, etags, 30_000);
    });
  });

  test('with the answer of a completion lost: the repeat gives the answer that the first would have given', async () => {
    await running(async (dataDir, begin) => {
      let service = await begin();
      const { project_id } = await createProject(service);
      const file = shardOf(project_id, 6_000);
      const started = await start(service.api, project_id, file, { part_size: partSize });
      const etags = await putAll({ fetch }, started, file, partSize);
      const { body } = await service.api.post('/__control/faults', { operation: 'maps.uploads.complete', do: { hold: 'after' } });
      const lost = complete(service.api, project_id, started, etags).catch((error: Error) => error);
      await service.api.post('/__control/holds/wait', { id: body.id });
      await service.kill();
      expect(await lost).toBeInstanceOf(Error);
      service = await begin();
      expect(await rowsOf(service.api, project_id)).toBe(6_000);
      await settle(service, dataDir, project_id, started, etags, 6_000);
    });
  });
});

async function* never(first: Uint8Array): AsyncGenerator<Uint8Array> {
  yield first;
  await new Promise(() => undefined);
}
