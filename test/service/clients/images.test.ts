import { createHash } from 'node:crypto';
import { Utf8, tableFromIPC } from 'apache-arrow';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { picture } from '../../support/pictures.ts';
import { arrowFile, built, createProject, indexOrder } from '../world.ts';
import { useClients } from './place.ts';

const place = useClients();
const json = 'application/json';
let pictures: Buffer[];
beforeAll(async () => {
  // As clients send them: shrunk, as JPEG.
  pictures = await Promise.all(
    Array.from({ length: 20 }, async (_, at) =>
      sharp(await picture(at))
        .resize(512, 512, { fit: 'inside' })
        .jpeg()
        .toBuffer(),
    ),
  );
});

type Part = { name: string; body: Uint8Array | string; filename?: string; type?: string };

/** A form as `requests` writes it: what is no file has no file name, and no part a type unless one is given. */
const form = (parts: readonly Part[], boundary = '9d1f2c3b4a'): { body: Buffer; headers: Record<string, string> } => ({
  headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  body: Buffer.concat([
    ...parts.flatMap(({ name, body, filename, type }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
      ),
      Buffer.from(body as string),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]),
});

const addBlobs = async (dataset: string, blobs: readonly Buffer[]) => {
  const parts = [{ name: 'dataset_id', body: dataset }, ...blobs.map((body) => ({ name: 'blobs', body, filename: 'blobs' }))];
  const { headers, body } = form(parts);
  return place().post('/v1/project/data/add/blobs', body, headers);
};

describe('images as public clients send them', () => {
  test('blobs are parts of one name without a type, and come back as hashes in their order', async () => {
    const { project_id } = await createProject(place(), 'blobs');
    const sent = [pictures[3]!, pictures[1]!, pictures[3]!];
    const { status, headers, json: answer } = await addBlobs(project_id, sent);
    expect([status, headers['content-type']]).toEqual([200, json]);
    expect(answer).toEqual({ hashes: sent.map((bytes) => createHash('sha256').update(bytes).digest('hex')) });
    // Bytes that look like the end of a part are bytes.
    const odd = Buffer.from('a\r\n--9d1f2c3b4\r\n\r\n--b');
    expect((await addBlobs(project_id, [odd])).json.hashes).toEqual([createHash('sha256').update(odd).digest('hex')]);
  });

  test('vectors of images by a form of parts: the model is echoed, and usage is there', async () => {
    for (const model of ['svc-embed-vision-v1', 'svc-embed-vision-v1.5']) {
      const { headers, body } = form([
        { name: 'model', body: model },
        ...pictures.slice(0, 3).map((bytes) => ({ name: 'images', body: bytes, filename: 'images' })),
      ]);
      const { status, headers: answered, json: answer } = await place().post('/v1/embedding/image', body, headers);
      expect([status, answered['content-type'], answer.model]).toEqual([200, json, model]);
      expect(answer.embeddings.map((each: number[]) => each.length)).toEqual([768, 768, 768]);
      expect(answer.usage).toEqual({ prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) });
    }
  });

  test('by URLs in an urlencoded form; an address that is not public is a finding of its place', async () => {
    const body = Buffer.from(
      new URLSearchParams([
        ['model', 'svc-embed-vision-v1.5'],
        ['urls', 'http://127.0.0.1:9/a.png'],
      ]).toString(),
    );
    const { status, json: answer } = await place().post('/v1/embedding/image', body, {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([status, answer.detail[0].loc]).toEqual([422, ['body', 'urls', 0]]);
  });

  test('a map of images: hashes in a column, an order by it, and a vector in each row of its tiles', async () => {
    const { project_id } = await createProject(place(), 'pictures');
    const { hashes } = (await addBlobs(project_id, pictures)).json as { hashes: string[] };
    const columns = { id: { type: new Utf8(), values: hashes.map((_, at) => `p${at}`) }, _blob_hash: { type: new Utf8(), values: hashes } };
    expect((await place().post('/v1/project/data/add/arrow', arrowFile({ project_id }, columns), {})).status).toBe(200);
    expect((await place().get(`/v1/project/${project_id}`)).json.modality).toBe('image');
    const order = indexOrder(project_id, { indexed_field: '_blob_hash', model: 'svc-embed-vision-v1.5', modality: 'image' });
    const { status, json: made } = await place().post('/v1/project/index/create', order);
    expect(status).toBe(200);
    expect(await built(place().api, made.job_id)).toBe('Completed');
    const tile = await place().get(`/v1/project/${project_id}/index/projection/${made.projection_id}/quadtree/0/0/0._embeddings.feather`);
    expect([tile.status, tableFromIPC(tile.body).numRows]).toEqual([200, 20]);
  });

  test('what a client writes where it got no hash is no image: the order is refused, and nothing is built of it', async () => {
    const { project_id } = await createProject(place(), 'no blobs');
    const ids = Array.from({ length: 20 }, (_, at) => `p${at}`);
    const columns = { id: { type: new Utf8(), values: ids }, _blob_hash: { type: new Utf8(), values: ids.map(() => 'null') } };
    await place().post('/v1/project/data/add/arrow', arrowFile({ project_id }, columns), {});
    const order = indexOrder(project_id, { indexed_field: '_blob_hash', model: 'svc-embed-vision-v1.5' });
    expect((await place().post('/v1/project/index/create', order)).status).toBe(422);
    expect((await place().get(`/v1/project/${project_id}`)).json.atlas_indices).toEqual([]);
  });
});
