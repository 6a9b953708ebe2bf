import { createHash } from 'node:crypto';
import { Utf8 } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { arrowFile, createProject, shardOf } from '../world.ts';
import { useClients } from './place.ts';

const place = useClients();
const add = '/v1/project/data/add/arrow';
const json = 'application/json';

describe('additions as public clients send them', () => {
  test('10,000 rows, or 20 MB, in one body without a content type', async () => {
    const { project_id } = await createProject(place(), 'rows');
    const rows = await place().post(add, shardOf(project_id, 10_000), {});
    expect([rows.status, rows.headers['content-type'], Object.keys(rows.json)]).toEqual([
      200,
      json,
      ['result', 'checkpoint', 'latest_addition_timestamp'],
    ]);
    expect((await place().post(add, shardOf(project_id, 10_001, { from: 20_000 }), {})).status).toBe(413);
    const wide = (await createProject(place(), 'wide')).project_id;
    const ids = Array.from({ length: 500 }, (_, row) => `row-${row}`);
    const file = arrowFile(
      { project_id: wide },
      { id: { type: new Utf8(), values: ids }, text: { type: new Utf8(), values: ids.map((id) => id.repeat(6_000)) } },
    );
    expect(file.length).toBeGreaterThan(20_000_000);
    expect((await place().post(add, file, {})).status).toBe(200);
    expect((await place().get(`/v1/project/${wide}`)).json.total_datums_in_project).toBe(500);
  });

  test('refusals have the form by which a client sends again, or raises', async () => {
    const { project_id } = await createProject(place(), 'refusals');
    const refusedBy = async (status: number, detail: string) => {
      await place().post('/__control/faults', { operation: 'maps.data.addArrow', do: { status, detail } });
      const { headers, body, ...answer } = await place().post(add, shardOf(project_id, 1), {});
      return [answer.status, headers['content-type'], body.toString()];
    };
    for (const status of [413, 429, 503, 504]) expect(await refusedBy(status, 'later')).toEqual([status, 'text/plain', 'later']);
    const lock = 'Project transaction lock is held';
    expect(await refusedBy(409, lock)).toEqual([409, json, JSON.stringify({ detail: lock, [lock]: true })]);
    await place().post(add, shardOf(project_id, 5), {});
    const conflict = await place().post(add, shardOf(project_id, 5, { ignore: false }), {});
    // Never a bare string: with that a client begins anew for ever.
    expect([conflict.status, typeof conflict.json, Object.keys(conflict.json)]).toEqual([409, 'object', ['detail', conflict.json.detail]]);
    const large = await place().raw({ method: 'POST', path: add, headers: { 'content-length': String(65 * 1024 * 1024) } });
    expect([large.status, large.headers['content-type']]).toEqual([413, 'text/plain']);
  });
});

describe('a file in parts as public clients send it', () => {
  /** Starts, sends the one part without a key, and completes with the ETag as it came. */
  const send = async (project: string, file_type: string, bytes: Uint8Array) => {
    const path = `/v1/project/${project}/data/upload`;
    const started = await place().post(`${path}/start`, { file_type, file_size: bytes.length });
    expect([started.status, started.headers['content-type'], started.json.part_urls.length]).toEqual([201, json, 1]);
    const { upload_id, object_id, part_urls } = started.json;
    const url = new URL(part_urls[0].url);
    const put = await place().rawOpen({ method: 'PUT', path: url.pathname + url.search, body: bytes });
    expect([put.status, put.headers['etag']]).toEqual([200, `"${createHash('md5').update(bytes).digest('hex')}"`]);
    const part_etags = [{ part_number: '1', etag: put.headers['etag'], url: part_urls[0].url }];
    return place().post(`${path}/complete`, { upload_id, object_id, part_etags, file_type });
  };

  test('a feather file becomes rows', async () => {
    const { project_id } = await createProject(place(), 'feather');
    const { status, headers, json: answer } = await send(project_id, 'feather', shardOf(project_id, 30));
    expect([status, headers['content-type'], answer.metadata]).toEqual([201, json, {}]);
    expect((await place().get(`/v1/project/${project_id}`)).json.total_datums_in_project).toBe(30);
  });

  test('a JPEG becomes a blob, whose hash the answer names', async () => {
    const { project_id } = await createProject(place(), 'jpeg');
    const image = Buffer.from([0xff, 0xd8, 0xff, 0xe0, ...Array.from({ length: 5_000 }, (_, at) => at % 251), 0xff, 0xd9]);
    const { status, json: answer } = await send(project_id, 'jpeg', image);
    const hash = createHash('sha256').update(image).digest('hex');
    expect([status, answer.metadata]).toEqual([201, { blob_hash: hash }]);
    const url = new URL((await place().get(`/v1/project/data/get/blob/${project_id}/${hash}`)).json.url);
    const { body } = await place().rawOpen({ method: 'GET', path: url.pathname + url.search });
    expect(body.equals(image)).toBe(true);
    expect((await send(project_id, 'jpeg', Buffer.from('no image at all'))).status).toBe(422);
    expect((await place().get(`/v1/project/${project_id}`)).json.total_datums_in_project).toBe(0);
  });
});
