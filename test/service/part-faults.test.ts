import { afterEach, beforeEach, expect, test } from 'vitest';
import { createApi, createProject, createWorld } from './world.ts';
import type { Api, World } from './world.ts';

const part = 'maps.uploads.part';
const hour = 3_600;

let world: World;
let api: Api;
let dataset: string;
beforeEach(async () => {
  world = await createWorld();
  const { url } = await world.service.listen();
  api = createApi(fetch, url, world.service.adminKeys.maps);
  dataset = (await createProject({ ...world, api })).project_id;
});
afterEach(() => world.close());

const bytes = new Uint8Array(200_000).fill(7);
const startUpload = async (): Promise<string> => {
  const { body } = await api.post(`/v1/project/${dataset}/data/upload/start`, { file_type: 'feather', file_size: bytes.byteLength });
  return body.part_urls[0].url;
};
const put = (url: string): Promise<Response> => fetch(url, { method: 'PUT', body: bytes });
const order = async (action: object, nth = 1) => {
  const { status, body } = await api.post('/__control/faults', { operation: part, nth, do: action });
  if (status !== 201) throw new Error(JSON.stringify(body));
};
const lastRequest = async () => (await api.get('/__control/requests')).body.rows.at(-1);

test.each([
  ['before', 0],
  ['body', bytes.byteLength / 2],
  ['after', bytes.byteLength],
] as const)('a part reset %s its effect is not answered, and sent again it is kept', async (reset, read) => {
  const url = await startUpload();
  await order({ reset });
  await expect(put(url)).rejects.toThrow('fetch failed');
  expect(await lastRequest()).toMatchObject({
    operation: part,
    limit_class: 'maps/part',
    status: 0,
    bytes: read,
    path: new URL(url).pathname,
  });
  expect((await put(url)).status).toBe(200);
  expect((await api.get('/__control/faults')).body.faults).toMatchObject([{ fired: 1, unfired: false }]);
});

test.each([
  [{ status: 503, retryAfter: 3 }, 503, '3'],
  [{ status: 403 }, 403, null],
  [{ expired: true }, 403, null],
])('a part under the fault %o is refused while it is being sent', async (action, status, retryAfter) => {
  const url = await startUpload();
  await order(action);
  const answer = await put(url);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, retryAfter]);
  if ('expired' in action) expect(await answer.text()).toContain('expired');
  expect((await put(url)).status).toBe(200);
});

test('a part delivered twice is kept once', async () => {
  const url = await startUpload();
  await order({ duplicate: 'delivery' });
  const answer = await put(url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('etag')).toBe((await put(url)).headers.get('etag'));
});

test.each([
  [hour, 403],
  [-hour, 200],
])('the clock moved by %i s decides about the URL of a part, and about no limit of parts', async (offsetSeconds, status) => {
  const url = await startUpload();
  await api.post('/__control/limits', { class: 'maps/part', count: 1, seconds: 3_000 });
  await api.post('/__control/clock', { offsetSeconds });
  expect((await put(url)).status).toBe(status);
  const refused = await put(url);
  expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.closeTo(3_000, -3)]);
});

test('URLs hold as long as the control plane says, from the next upload on', async () => {
  const before = await startUpload();
  expect((await api.post('/__control/lifetimes', { partUrlSeconds: 60 })).status).toBe(200);
  const after = await startUpload();
  await api.post('/__control/clock', { offsetSeconds: 61 });
  expect([(await put(before)).status, (await put(after)).status]).toEqual([200, 403]);
  expect((await api.get('/__control/state')).body).toMatchObject({ offsetSeconds: 61, lifetimes: { partUrlSeconds: 60 } });
});

test('parts come in at the rate of the intake, together', async () => {
  const urls = await Promise.all([startUpload(), startUpload()]);
  await api.post('/__control/intake', { bytesPerSecond: 400_000 });
  const started = performance.now();
  for (const answer of await Promise.all(urls.map(put))) expect(answer.status).toBe(200);
  const seconds = (performance.now() - started) / 1_000;
  expect(seconds).toBeGreaterThan(0.85);
});
