import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, truncate, utimes } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settle } from '../../landing/fetch-file.ts';
import { createLanding, landingFolder, type Landing } from '../../landing/landing.ts';
import type { RemoteFile } from '../../pipelines/source-spec.ts';
import { landedGarbage } from '../../runs/landed-garbage.ts';
import { cutAfter, send, serveFile, type FileServer } from '../support/file-server.ts';
import { selfSigned } from '../support/self-signed.ts';

const content = randomBytes(300_000);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let server: FileServer;
let root: string;

beforeEach(async () => {
  server = await serveFile(content);
  root = await mkdtemp(join(tmpdir(), 'portolan-landing-'));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

const landing = (more: { mostBytes?: number; stalledMs?: number; secret?: (name: string) => Promise<string> } = {}): Landing =>
  createLanding({
    root,
    allow: ['127.0.0.1'],
    mostBytes: 1e9,
    secret: async (name) => `value-of-${name}`,
    pausesMs: [0, 0, 0],
    ...more,
  });
const signal = new AbortController().signal;
const fetched = (file: RemoteFile = `${server.origin}/data.bin`, land = landing()) => land(file, { signal });

/** Files that were landed, and what is left of those on their way. */
const left = async (): Promise<string[]> =>
  (await readdir(join(root, landingFolder), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => basename(entry.parentPath))
    .sort();

test('a file that breaks off twenty times comes whole, each byte asked for once', async () => {
  const waiting = new Map<number, () => void>();
  const came = (bytes: number): Promise<void> => new Promise((resolve) => void waiting.set(bytes, resolve));
  server.twist((request, response, serial) => serial <= 20 && (cutAfter(7_001, request, response, server.file(), came), true));
  const found = await landing()(`${server.origin}/data.bin`, { signal, progress: (done) => waiting.get(done)?.() });
  expect(found.sha256).toBe(sha256(content));
  expect(sha256(await readFile(found.path))).toBe(sha256(content));
  const begins = server.requests.slice(0, 21).map(({ headers }) => Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0));
  expect(begins).toEqual(Array.from({ length: 21 }, (_, at) => at * 7_001));
  expect(server.requests[20]!.headers['if-match']).toBe('"1"');
});

test('a server without ranges sends all of it again, and what had come is taken once', async () => {
  server.twist((request, response, serial) => {
    if (serial <= 2) {
      delete request.headers.range;
      cutAfter(100_000, request, response, server.file());
    } else if (request.headers.range !== undefined) {
      delete request.headers.range;
      send(request, response, server.file());
    } else return false;
    return true;
  });
  expect((await fetched()).sha256).toBe(sha256(content));
});

test.each(['by 412', 'in spite of If-Match', 'without a word'] as const)(
  'a file that is replaced while it is read (%s) is refused, and nothing of it is kept',
  async (how) => {
    const other = randomBytes(content.byteLength);
    server.twist((request, response, serial) => {
      if (serial === 1) {
        if (how === 'without a word') {
          // One answer, half of each.
          const half = content.byteLength / 2;
          send(request, response, { bytes: Buffer.concat([content.subarray(0, half), other.subarray(half)]), tag: '"1"' });
        } else cutAfter(100_000, request, response, server.file());
        server.replace(other, '"2"');
        return true;
      }
      if (how === 'in spite of If-Match') delete request.headers['if-match'];
      return false;
    });
    await expect(fetched()).rejects.toMatchObject({ name: 'NotFetched', message: expect.stringContaining('replaced while it was read') });
    expect(await left()).toEqual([]);
    // Of another version no byte is read.
    if (how === 'in spite of If-Match') expect(server.requests).toHaveLength(2);
    // The next attempt reads it as it is now.
    server.twist(() => undefined);
    expect((await fetched()).sha256).toBe(sha256(other));
  },
);

test('what is here already is asked about and not fetched again; changed, it is', async () => {
  const first = await fetched();
  server.requests.length = 0;
  const again = await fetched();
  expect(server.requests).toHaveLength(1);
  expect([first.again, again.again, again.path]).toEqual([false, true, first.path]);
  expect(server.requests.at(-1)!.headers['if-none-match']).toBe('"1"');
  server.replace(randomBytes(10), '"2"');
  const changed = await fetched();
  expect([changed.again, changed.bytes]).toEqual([false, 10]);
  expect(sha256(await readFile(first.path))).toBe(sha256(content));
});

test('what is used again is kept whole for as long as it is: the file, and the note that says which version it is', async () => {
  const names = async (): Promise<string[]> => (await landedGarbage(root, Date.now() - 30 * 86_400_000)).map(({ path }) => path);
  const { path } = await fetched();
  const long = new Date(Date.now() - 40 * 86_400_000);
  const files = (await readdir(join(root, landingFolder), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) await utimes(join(parentPath, name), long, long);
  expect(await names()).toEqual(expect.arrayContaining([path, expect.stringMatching(/known.[0-9a-f]+\.json$/)]));
  expect(await fetched()).toMatchObject({ again: true });
  expect(await names()).toEqual([]);
});

test('a file without a tag is fetched again: one that was replaced by an older one, or within the same second, is not the same', async () => {
  const serve = (bytes: Uint8Array, lastModified: string): void =>
    server.twist((request, response) => {
      const since = request.headers['if-modified-since'];
      if (since !== undefined && Date.parse(since) >= Date.parse(lastModified)) response.writeHead(304).end();
      else response.writeHead(200, { 'content-length': bytes.byteLength, 'last-modified': lastModified }).end(bytes);
      return true;
    });
  const [first, older, sameSecond] = ['first', 'older', 'again'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
  const got = async (): Promise<string> => readFile((await fetched()).path, 'utf8');
  serve(first, 'Mon, 23 Nov 2026 12:00:00 GMT');
  expect(await got()).toBe('first');
  serve(older, 'Sun, 22 Nov 2026 12:00:00 GMT');
  expect(await got()).toBe('older');
  serve(sameSecond, 'Sun, 22 Nov 2026 12:00:00 GMT');
  expect(await got()).toBe('again');
});

test('a file without a tag that is replaced by an older one while it is read is refused', async () => {
  server.twist((_, response, serial) => {
    const lastModified = `Mon, 23 Nov 2026 12:00:0${serial === 1 ? 5 : 1} GMT`;
    response.writeHead(200, { 'content-length': 4, 'last-modified': lastModified }).end('rows');
    return true;
  });
  await expect(fetched()).rejects.toThrow('was replaced while it was read');
});

test('a certificate that is not trusted is refused at once', async () => {
  const folder = await mkdtemp(join(root, 'tls-'));
  const { key, certificate } = await selfSigned(folder);
  let asked = 0;
  const https = createServer({ key: await readFile(key), cert: await readFile(certificate) }, () => undefined).on(
    'connection',
    () => asked++,
  );
  await new Promise<void>((listening) => void https.listen(0, '127.0.0.1', listening));
  const { port } = https.address() as AddressInfo;
  await expect(fetched(`https://127.0.0.1:${port}/data.bin`)).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringMatching(/its certificate is not trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\)/),
  });
  expect(asked).toBe(1);
  await new Promise((closed) => void https.close(closed));
});

test('an attempt that was given up is gone on with by the next', async () => {
  server.twist(
    (request, response, serial) => (serial === 1 ? cutAfter(200_000, request, response, server.file()) : response.destroy(), true),
  );
  await expect(fetched()).rejects.toMatchObject({ name: 'Interrupted', retryable: true });
  server.twist(() => undefined);
  server.requests.length = 0;
  expect((await fetched()).sha256).toBe(sha256(content));
  expect(server.requests.map(({ headers }) => headers.range)).toContain('bytes=200000-');
});

test.each([
  [429, { 'retry-after': '7' }, { name: 'Wait', waitMs: 7_000 }],
  [429, { 'retry-after': '0' }, { name: 'Wait', waitMs: 1_000 }],
  [429, {}, { name: 'Wait', waitMs: 1_000 }],
  [503, { 'retry-after': '2' }, { name: 'Wait', waitMs: 2_000 }],
  [500, {}, { name: 'Interrupted' }],
  [401, {}, { name: 'NotFetched', remedy: expect.stringContaining('secret') }],
  [403, {}, { name: 'NotFetched', remedy: expect.stringContaining('secret') }],
  [404, {}, { name: 'NotFetched', remedy: 'correct the address' }],
])('a server that answers %d %o', async (status, headers, expected) => {
  server.twist((_, response) => (response.writeHead(status, headers).end('no'), true));
  await expect(fetched()).rejects.toMatchObject(expected);
  expect(server.requests).toHaveLength(status === 500 ? 4 : 1);
});

test('a length that is announced and never comes is refused with both figures', async () => {
  server.twist((request, response) => {
    if (request.headers.range !== undefined)
      return (response.writeHead(416, { 'content-range': 'bytes */300000', etag: '"1"' }).end(), true);
    response.writeHead(200, { etag: '"1"', 'content-length': '300100' });
    response.write(content);
    response.socket?.destroySoon();
    return true;
  });
  await expect(fetched()).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringMatching(/416 where bytes from 300000 on of 300100/),
  });
});

test('a file of no announced length whose end alone was lost is whole where the server says that nothing is behind it', async () => {
  server.twist((request, response, serial) => {
    if (request.headers.range === `bytes=${content.byteLength}-`)
      response.writeHead(416, { 'content-range': `bytes */${content.byteLength}`, etag: '"1"' }).end();
    else if (serial === 1) {
      response.writeHead(200, { etag: '"1"' }).write(content);
      response.socket?.destroySoon();
    } else return false;
    return true;
  });
  expect((await fetched()).sha256).toBe(sha256(content));
  expect(server.requests.map(({ headers }) => headers.range ?? headers['if-none-match'])).toEqual([undefined, 'bytes=300000-', '"1"']);
});

test('a file that has another length under the same tag was replaced', async () => {
  server.twist((request, response, serial) => {
    const { range } = request.headers;
    if (serial === 1) cutAfter(100_000, request, response, server.file());
    else if (range === undefined) return false;
    else {
      const from = Number(/\d+/.exec(range)![0]);
      response.writeHead(206, { etag: '"1"', 'content-range': `bytes ${from}-299999/300001` }).end(content.subarray(from));
    }
    return true;
  });
  await expect(fetched()).rejects.toThrow('was replaced while it was read');
  expect(await left()).toEqual([]);
});

test('of a version that cannot be gone on with nothing is kept where it did not come whole', async () => {
  server.twist((request, response) => (cutAfter(100_000, request, response, { bytes: content, tag: 'W/"1"' }), true));
  await expect(fetched()).rejects.toMatchObject({ name: 'Interrupted' });
  expect(await left()).toEqual([]);
});

test('a file of no announced length comes whole, and one that is too large ends at the limit', async () => {
  server.twist((_, response) => (response.writeHead(200).write(content), response.end(), true));
  expect((await fetched()).bytes).toBe(content.byteLength);
  await expect(fetched(`${server.origin}/other.bin`, landing({ mostBytes: 100_000 }))).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringContaining('larger than 100 kB'),
  });
  expect(await left()).toHaveLength(2);
});

test('a server that sends nothing more is given up, and asked again', async () => {
  server.twist(
    (_, response, serial) => serial === 1 && (response.writeHead(200, { etag: '"1"', 'content-length': '300000' }).write('x'), true),
  );
  server.replace(Buffer.concat([Buffer.from('x'), content.subarray(1)]), '"1"');
  expect((await fetched(undefined, landing({ stalledMs: 200 }))).bytes).toBe(content.byteLength);
});

test.each([
  ['gzip', 'data.csv.gz'],
  ['x-gzip', 'data.csv.gz'],
  ['', 'data.csv'],
])('what its server has packed (%s) is kept as it was sent, and named so', async (coding, name) => {
  const sent = coding === '' ? content : gzipSync(content);
  server.twist((_, response) => (response.writeHead(200, coding === '' ? {} : { 'content-encoding': coding }).end(sent), true));
  const found = await fetched(`${server.origin}/a/data.csv?x=1`);
  expect([basename(found.path), found.sha256]).toEqual([name, sha256(sent)]);
  server.twist((_, response) => (response.writeHead(200, { 'content-encoding': 'br' }).end('x'), true));
  await expect(fetched(`${server.origin}/b.csv`)).rejects.toMatchObject({ message: expect.stringContaining('sent as br') });
});

test.each([
  ['/x/films.parquet', undefined, 'films.parquet'],
  ['/export?format=csv', 'csv', 'export.csv'],
  ['/export.gz', 'json', 'export.json.gz'],
  ['/', 'excel', 'source.xlsx'],
  ['/..%2F..%2Fetc%2Fpasswd', undefined, '_.._etc_passwd'],
  ['/%E0%A4%A', undefined, '_E0_A4_A'],
] as const)('%s read as %s is called %s', async (path, format, name) => {
  const found = await fetched({ http: server.origin + path, ...(format && { format }) });
  expect(basename(found.path)).toBe(name);
});

test('secrets go to the host they were written for, and to no other that it redirects to', async () => {
  await using other = await serveFile(content);
  server.twist((request, response) => request.url === '/data.bin' && (response.writeHead(302, { location: '/moved.bin' }).end(), true));
  other.twist(
    (request, response) => request.url === '/away.bin' && (response.writeHead(307, { location: `${server.origin}/back.bin` }).end(), true),
  );
  const headers = { authorization: { secret: 'acme', scheme: 'Bearer' }, 'x-team': 'maps' };
  await fetched({ http: `${server.origin}/data.bin`, headers });
  expect(server.requests.map(({ path, headers: { authorization } }) => [path, authorization])).toContainEqual([
    '/moved.bin',
    'Bearer value-of-acme',
  ]);
  server.twist((_, response, serial) => serial > 0 && (response.writeHead(302, { location: `${other.origin}/moved.bin` }).end(), true));
  await fetched({ http: `${server.origin}/data2.bin`, headers });
  expect(other.requests.length).toBeGreaterThan(0);
  for (const request of other.requests) expect(request.headers).not.toHaveProperty('authorization');
  for (const request of other.requests) expect(request.headers).not.toHaveProperty('x-team');
});

test('a secret is not sent to another machine over plain http', async () => {
  let asked = 0;
  const land = landing({ secret: async () => `${asked++}` });
  const file = { http: 'http://files.example.com/x.csv?sig=abc', headers: { authorization: { secret: 'acme' } } };
  await expect(fetched(file, land)).rejects.toMatchObject({
    name: 'NotFetched',
    message: 'http://files.example.com/x.csv: over plain http everyone on the way reads the secret of its headers',
  });
  expect(asked).toBe(0);
});

test('a secret that HTTP cannot carry is named at once, with its header, and nothing is sent', async () => {
  let asked = 0;
  const land = landing({ secret: async () => (asked++, 'glpat-abc\u2019') });
  const refused = fetched({ http: `${server.origin}/data.bin`, headers: { authorization: { secret: 'gitlab', scheme: 'Bearer' } } }, land);
  await expect(refused).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringMatching(/data\.bin: the header authorization cannot be sent: its secret 'gitlab' holds a character/),
  });
  await expect(refused).rejects.not.toThrow(/glpat/);
  expect([asked, server.requests.length]).toEqual([1, 0]);
});

test('a redirect without an end, to a file, or to another scheme is refused', async () => {
  for (const location of ['/again', 'file:///etc/passwd', 'gopher://127.0.0.1/', 'http://user:word@127.0.0.1/']) {
    server.twist((_, response) => (response.writeHead(302, { location }).end(), true));
    await expect(fetched()).rejects.toMatchObject({ name: 'NotFetched' });
  }
});

test('of two who fetch one file at once under two names both have it', async () => {
  const url = `${server.origin}/export`;
  const asked: (() => void)[] = [];
  server.twist((request, response) => {
    if (request.headers['if-none-match'] === undefined) return false;
    asked.push(() => send(request, response, server.file()));
    // Both have fetched it; the second one takes it to its place when the first has done so.
    if (asked.length === 2) {
      asked[0]!();
      void Promise.race(both).then(asked[1], asked[1]);
    }
    return true;
  });
  const both = (['csv', 'json'] as const).map((format) => fetched({ http: url, format }));
  const found = await Promise.all(both);
  expect(found.map(({ path }) => basename(path))).toEqual(['export.csv', 'export.json']);
  for (const { path } of found) expect(sha256(await readFile(path))).toBe(sha256(content));
});

test('what was fetched and is nowhere any more is fetched again by the next attempt', async () => {
  const gone = settle({ part: join(root, 'parts', 'gone'), bytes: 1 }, join(root, 'objects', 'abc', 'x.csv'));
  await expect(gone).rejects.toMatchObject({ name: 'Interrupted', retryable: true });
});

test('a file of which a power cut has taken bytes is fetched again, and is whole', async () => {
  const { path } = await fetched();
  await truncate(path, 7);
  expect((await fetched()).path).toBe(path);
  expect(sha256(await readFile(path))).toBe(sha256(content));
});
