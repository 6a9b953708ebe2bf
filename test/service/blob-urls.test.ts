import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveFile, type FileServer } from '../support/file-server.ts';
import { callsOf, createProject, createWorld, type World } from './world.ts';

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let server: FileServer;
let world: World;
let invoke: ReturnType<typeof callsOf>['invoke'];

beforeAll(async () => {
  server = await serveFile(Buffer.from('a lighthouse'));
  world = await createWorld({ outside: { allow: [new URL(server.origin).host] } });
  await world.service.listen();
  ({ invoke } = callsOf(world, world.service.adminKeys.maps));
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const newDataset = async (): Promise<string> => (await createProject(world, 'blobs')).project_id;
const kept = (dataset: string): string[] => {
  const folder = join(world.dataDir, 'blobs', dataset);
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** A form as it was written by hand, without the product's own client. */
const sendForm = async (fields: readonly [string, string | Blob][]) => {
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  const headers = { authorization: `Bearer ${world.service.adminKeys.maps}` };
  const answer = await fetch(`${world.service.url}/v1/project/data/add/blobs`, { method: 'POST', headers, body });
  return { status: answer.status, body: (await answer.json()) as { hashes: (string | null)[]; detail: { loc: string[]; msg: string }[] } };
};

/** What the signed URL of a blob is answered with. */
const served = async (dataset_id: string, blob_hash: string) => {
  const answer = await fetch((await invoke('maps.blobs.get', { dataset_id, blob_hash })).url);
  return { text: await answer.text(), type: answer.headers.get('content-type'), headers: answer.headers };
};

test('blobs come by their URLs, in order, and what cannot be had is null in its place', async () => {
  const dataset_id = await newDataset();
  server.twist(({ url }, response) => {
    if (url === '/elsewhere') response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    else if (url === '/moved') response.writeHead(302, { location: '/quay' }).end();
    else if (url === '/gone') response.writeHead(404).end('no such file');
    else response.end(`a picture of ${url}`);
    return true;
  });
  const at = (path: string): string => server.origin + path;
  const urls = ['/mole', '/gone', '/moved', '/elsewhere', '/mole'].map(at);
  const more = ['http://127.0.0.1:9/a', 'mole', 'file:///etc/hostname', `["${at('/mole')}"]`];
  const expected = ['/mole', null, '/quay', null, '/mole', null, null, null, null].map((path) => path && sha256(`a picture of ${path}`));
  const byHand = await sendForm([['dataset_id', dataset_id], ...[...urls, ...more].map((url): [string, string] => ['urls', url])]);
  expect([byHand.status, byHand.body]).toEqual([200, { hashes: expected }]);
  expect(kept(dataset_id).toSorted()).toEqual([...new Set(expected.filter((hash) => hash !== null))].toSorted());
  expect((await served(dataset_id, expected[2]!)).text).toBe('a picture of /quay');
  // By the client, and one alone.
  expect((await invoke('maps.blobs.add', { dataset_id, urls: [at('/gone')] })).hashes).toEqual([null]);
  expect((await invoke('maps.blobs.add', { dataset_id, urls: at('/quay') })).hashes).toEqual([expected[2]]);
});

test('a file that is too large is null, and more than a form may hold are refused together, and nothing is kept', async () => {
  const dataset_id = await newDataset();
  const sizes: Readonly<Record<string, Buffer>> = { '/22': Buffer.alloc(22 * 1_048_576), '/33': Buffer.alloc(33 * 1_048_576) };
  server.twist(({ url }, response) => (response.end(sizes[url!] ?? 'small'), true));
  const add = (...paths: string[]) => invoke('maps.blobs.add', { dataset_id, urls: paths.map((path) => server.origin + path) });
  await expect(add('/22', '/22', '/22')).rejects.toMatchObject({ status: 413, message: expect.stringContaining('name fewer of them') });
  expect(kept(dataset_id)).toEqual([]);
  expect((await add('/33', '/small')).hashes).toEqual([null, sha256('small')]);
});

test('a dataset that goes while its blobs are fetched gets none', async () => {
  const dataset_id = await newDataset();
  const asked = Promise.withResolvers<() => void>();
  server.twist((_, response) => (asked.resolve(() => response.end('late')), true));
  const adding = sendForm([
    ['dataset_id', dataset_id],
    ['urls', `${server.origin}/late`],
  ]);
  const answer = await asked.promise;
  await invoke('maps.projects.remove', { project_id: dataset_id });
  answer();
  expect((await adding).status).toBe(404);
  expect(kept(dataset_id)).toEqual([]);
});

test('blobs or urls are sent, and not both, at least one and at most 512', async () => {
  const dataset_id = await newDataset();
  const blob = new Blob(['a']);
  const refused = async (...fields: [string, string | Blob][]) => {
    const { status, body } = await sendForm([['dataset_id', dataset_id], ...fields]);
    return [status, body.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)];
  };
  const one = [422, ['body.blobs: send either blobs or urls, and not both']];
  expect(await refused(['blobs', blob], ['urls', `${server.origin}/a`])).toEqual(one);
  expect(await refused()).toEqual(one);
  expect(await refused(['content_type', 'image/png'])).toEqual(one);
  for (const [name, value] of Object.entries({ blobs: blob, urls: `${server.origin}/a` })) {
    const many = Array.from({ length: 513 }, (): [string, string | Blob] => [name, value]);
    expect(await refused(...many)).toEqual([422, [`body.${name}: more than 512 in one call: send the rest in another`]]);
  }
  expect(await refused(['urls', ''])).toEqual([422, ['body.urls.0: is empty: name an http(s) address']]);
  // The client sends nothing that does not fit.
  for (const given of [{ blobs: [] }, { urls: [] }])
    await expect(invoke('maps.blobs.add', { dataset_id, ...given })).rejects.toThrow('is empty: name at least one');
  expect(kept(dataset_id)).toEqual([]);
});

test('the signed URL serves a blob with the type that it was given last, one for all or one for each', async () => {
  const dataset_id = await newDataset();
  server.twist((_, response) => (response.setHeader('content-type', 'text/html').end('<script>from elsewhere</script>'), true));
  const add = async (given: object) => (await invoke('maps.blobs.add', { dataset_id, ...given })).hashes as string[];
  const types = async (hashes: string[]) => (await Promise.all(hashes.map((hash) => served(dataset_id, hash)))).map(({ type }) => type);
  const pair = { blobs: ['first', 'second'] };
  const untold = 'application/octet-stream';
  const hashes = await add(pair);
  expect(await types(hashes)).toEqual([untold, untold]);
  expect(await add({ ...pair, content_type: 'image/PNG' })).toEqual(hashes);
  expect(await types(hashes)).toEqual(['image/png', 'image/png']);
  await add({ ...pair, content_type: ['text/plain; charset=utf-8', 'audio/ogg'] });
  // Added again without one, and of an equal blob of the same call the last.
  await add(pair);
  expect(await types(hashes)).toEqual(['text/plain; charset=utf-8', 'audio/ogg']);
  await add({ blobs: ['second', 'second'], content_type: ['video/mp4', 'image/webp'] });
  expect(await types(hashes)).toEqual(['text/plain; charset=utf-8', 'image/webp']);
  // Neither a part nor a server says what is served.
  const told = await add({ blobs: [new Blob(['third'], { type: 'text/html' })] });
  const fetched = await add({ urls: [`${server.origin}/a`] });
  expect(await types([...told, ...fetched])).toEqual([untold, untold]);
  const typed = await add({ urls: [`${server.origin}/a`], content_type: ['image/gif'] });
  expect([typed, await types(typed)]).toEqual([fetched, ['image/gif']]);
  // Types stay with their dataset.
  expect((await served(dataset_id, hashes[0]!)).text).toBe('first');
  await invoke('maps.projects.remove', { project_id: dataset_id });
  expect(kept(dataset_id)).toEqual([]);
});

test('nothing that a browser may run becomes the type of a blob, and whatever its type is, it is saved and not shown', async () => {
  const dataset_id = await newDataset();
  const page = '<script>fetch("/")</script>';
  const wrong = [
    'text/html',
    'TEXT/HTML',
    'text/html; charset=utf-8',
    'image/svg+xml',
    'image/svg+xml; charset=utf-8',
    'application/xhtml+xml',
    'text/xml',
    'text/javascript',
    'application/javascript',
    'text/css',
    'multipart/related',
    'message/rfc822',
    'application/x-shockwave-flash',
    'image/png, text/html',
    'image/png; text/html',
    'image/png\r\nx-made: up',
    'image/',
    'image',
    '',
    `image/${'x'.repeat(200)}`,
  ];
  for (const type of wrong) {
    const { status, body } = await sendForm([
      ['dataset_id', dataset_id],
      ['blobs', new Blob([page])],
      ['content_type', type],
    ]);
    expect([status, body.detail], type).toEqual([
      422,
      [{ loc: ['body', 'content_type', 0], msg: expect.stringMatching(/image\/….*or leave content_type out/), type: 'custom' }],
    ]);
  }
  expect(
    await sendForm([
      ['dataset_id', dataset_id],
      ...(['a', 'b', 'c'].map((text) => ['blobs', new Blob([text])]) as [string, Blob][]),
      ['content_type', 'image/png'],
      ['content_type', 'image/png'],
    ]),
  ).toMatchObject({
    status: 422,
    body: {
      detail: [{ loc: ['body', 'content_type'], msg: 'names 2 types for 3 blobs: send one for all, or one for each in their order' }],
    },
  });
  expect(kept(dataset_id)).toEqual([]);
  const { hashes } = await invoke('maps.blobs.add', { dataset_id, blobs: [page], content_type: 'image/png' });
  const { headers, text } = await served(dataset_id, hashes[0]!);
  expect([
    text,
    ...['content-type', 'content-disposition', 'x-content-type-options', 'content-security-policy'].map((name) => headers.get(name)),
  ]).toEqual([page, 'image/png', 'attachment', 'nosniff', "default-src 'none'; sandbox"]);
});
