import { Utf8 } from 'apache-arrow';
import { expect } from 'vitest';
import { arrowFile, built, createProject, indexOrder } from '../service/world.ts';
import { misfitsOf } from './misfits.ts';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

/** Bytes that are no text in any encoding, of a length of more than one chunk. */
const bytesOf = (seed: number): Uint8Array<ArrayBuffer> => Uint8Array.from({ length: 100_000 }, (_, at) => (at * seed + (at >> 8)) % 256);

proves(['maps:POST /v1/project/data/add/blobs.1'], 'blobs come as the parts of a form, and in no other body', async () => {
  const { service, api } = place();
  const { project_id: dataset_id } = await createProject(place(), 'forms');
  const form = new FormData();
  form.append('dataset_id', dataset_id);
  for (const seed of [3, 5]) form.append('blobs', new Blob([bytesOf(seed)]), 'blobs');
  const headers = { authorization: `Bearer ${service.adminKeys.maps}` };
  const sent = await fetch(`${service.url}/v1/project/data/add/blobs`, { method: 'POST', headers, body: form });
  expect([sent.status, await sent.json()]).toEqual([200, { hashes: [expect.any(String), expect.any(String)] }]);
  for (const body of [{ dataset_id, blobs: ['text'] }, bytesOf(3)])
    expect(misfitsOf(await api.post('/v1/project/data/add/blobs', body))).toEqual([422, 'body']);
});

proves(['maps:POST /v1/project/data/add/blobs.2'], 'a blob is kept as it was sent, and a row of a map names it by its hash', async () => {
  const { calls, api } = place();
  const { project_id: dataset_id } = await createProject(place(), 'pictures');
  const pictures = [3, 5, 7].map(bytesOf);
  const { hashes } = await calls.invoke('maps.blobs.add', { dataset_id, blobs: pictures.map((bytes) => new Blob([bytes])) });
  expect(new Set(hashes).size).toBe(3);
  const rows = Array.from({ length: 21 }, (_, at) => ({ id: `p${at}`, caption: `picture ${at}`, hash: hashes[at % 3] }));
  const columns = {
    id: { type: new Utf8(), values: rows.map(({ id }) => id) },
    caption: { type: new Utf8(), values: rows.map(({ caption }) => caption) },
    _blob_hash: { type: new Utf8(), values: rows.map(({ hash }) => hash) },
  };
  await calls.invoke('maps.data.addArrow', { body: arrowFile({ project_id: dataset_id }, columns) });
  const { job_id, projection_id } = await calls.invoke('maps.indices.create', indexOrder(dataset_id, { indexed_field: 'caption' }));
  expect(await built(api, job_id)).toBe('Completed');
  const search = { projection_id: String(projection_id), k: 1, fields: ['_blob_hash'], query: 'picture 4' };
  const [found] = (await api.post('/v1/query/topk', search)).body.data;
  const { url } = await calls.invoke('maps.blobs.get', { dataset_id, blob_hash: found._blob_hash });
  expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(Buffer.from(pictures[4 % 3]!))).toBe(true);
});
