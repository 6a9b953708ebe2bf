import { expect, test } from 'vitest';
import { taskEnd } from '../parsing.ts';
import { useClients } from './place.ts';

const place = useClients();
const json = 'application/json';

/** Asks for a place for one file and fills it as clients do: without a key, with the header of the storage. */
const upload = async (bytes: string) => {
  const asked = { files: [{ id: 'report.md', size: Buffer.byteLength(bytes), content_type: 'text/markdown' }] };
  const { status, headers, json: answer } = await place().post('/v1/upload', asked);
  expect([status, headers['content-type']]).toEqual([201, json]);
  const [file] = answer.files as Record<'request_id' | 'upload_url' | 'svc_url' | 'nomic_url', string>[];
  expect(file!.request_id).toBe('report.md');
  const url = new URL(file!.upload_url);
  const put = { method: 'PUT', path: url.pathname + url.search, body: bytes, headers: { 'x-amz-server-side-encryption': 'AES256' } };
  expect((await place().rawOpen(put)).status).toBe(200);
  return file!;
};

const end = (task: string) => taskEnd(place(), task);

test('a file is uploaded, parsed and read: by the scheme of the clients as by that of the text, without a key where the client has none', async () => {
  const { svc_url, nomic_url } = await upload('# Harbour\n\nShips come in the morning.\n');
  expect([svc_url, nomic_url]).toEqual([expect.stringMatching(/^svc:\/\//), expect.stringMatching(/^nomic:\/\//)]);
  for (const file_url of [svc_url, nomic_url]) {
    const options = { chunking: { chunk_mode: 'page' }, content_extraction_mode: 'metadata' };
    const begun = await place().post('/v1/parse', { file_url, options });
    expect([begun.status, begun.headers['content-type']]).toEqual([201, json]);
    const { status, result_url } = await end(begun.json.task_id);
    expect(status).toBe('COMPLETED');
    const url = new URL(result_url);
    const result = await place().rawOpen({ method: 'GET', path: url.pathname + url.search });
    expect([result.status, result.headers['content-type']]).toEqual([200, json]);
    // An object: clients take `status` and `error` out of it.
    expect(result.json).toMatchObject({ chunks: [{ content: expect.stringContaining('Ships come in the morning.') }] });
    const [block] = result.json.chunks[0].blocks;
    expect(block).toMatchObject({ type: expect.any(String), content: expect.any(String) });
  }
});

test('a task that fails says why under `error`, which it has only then', async () => {
  const { svc_url } = await upload('never to be read as a PDF');
  const [file] = (await place().post('/v1/upload', { files: [{ id: 'broken.pdf', size: 9, content_type: 'application/pdf' }] })).json.files;
  const url = new URL(file.upload_url);
  await place().rawOpen({ method: 'PUT', path: url.pathname + url.search, body: 'no pdf at' });
  const [good, bad] = [
    await end((await place().post('/v1/parse', { file_url: svc_url })).json.task_id),
    await end((await place().post('/v1/parse', { file_url: file.svc_url })).json.task_id),
  ];
  expect([good.status, 'error' in good]).toEqual(['COMPLETED', false]);
  expect([bad.status, typeof bad.error]).toEqual(['FAILED', 'string']);
});

test('a URL that has no key in it takes none from elsewhere: a changed signature is refused', async () => {
  const [file] = (await place().post('/v1/upload', { files: [{ id: 'a.txt', size: 1, content_type: 'text/plain' }] })).json.files;
  const url = new URL(file.upload_url);
  const forged = `${url.pathname}${url.search.slice(0, -4)}AAAA`;
  expect((await place().raw({ method: 'PUT', path: forged, body: 'x' })).status).toBe(403);
});
