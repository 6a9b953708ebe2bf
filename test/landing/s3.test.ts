import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expandPath } from '../../child/source-files.ts';
import { sourcesSchema } from '../../config/sources-schema.ts';
import { keepFor } from '../../landing/file-set.ts';
import { createLanding, type Landing } from '../../landing/landing.ts';
import { readPage } from '../../landing/s3/list.ts';
import { signed } from '../../landing/s3/sign.ts';
import { urlOf, type Storage } from '../../landing/s3/storage.ts';
import type { RemoteFile } from '../../pipelines/source-spec.ts';
import { cutAfter } from '../support/file-server.ts';
import { serveBucket, tagOf, type Stored } from '../support/s3-server.ts';

const keys = { id: 'an-id', key: 'a key/with+signs', token: 'a-token' };
const secrets: Record<string, string> = { 'acme-id': keys.id, 'acme-key': keys.key, 'acme-token': keys.token };
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const signal = new AbortController().signal;

let root: string;
let objects: Map<string, Stored>;
let server: Awaited<ReturnType<typeof serveBucket>>;
const put = (key: string, bytes: Uint8Array): void => void objects.set(key, { bytes, tag: tagOf(bytes) });

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portolan-s3-'));
  objects = new Map();
  server = await serveBucket('acme', objects, keys);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

const landing = (more: { mostBytes?: number; secrets?: boolean } = {}): Landing =>
  createLanding({
    root,
    allow: [],
    mostBytes: more.mostBytes ?? 1e9,
    pausesMs: [0, 0, 0],
    secret: async (name) => secrets[name]!,
    storages: sourcesSchema.parse({
      s3: {
        here: {
          endpoint: server.endpoint,
          ...(more.secrets === false ? {} : { secrets: { keyId: 'acme-id', key: 'acme-key', token: 'acme-token' } }),
        },
      },
    }).s3,
  });
const fetched = (file: RemoteFile, land = landing()) => land(file, { signal });

test('a key that HTTP cannot carry is refused at once', async () => {
  const land = createLanding({
    root,
    allow: [],
    mostBytes: 1e9,
    pausesMs: [],
    secret: async () => 'an-id\u2019',
    storages: sourcesSchema.parse({ s3: { here: { endpoint: server.endpoint, secrets: { keyId: 'acme-id', key: 'acme-key' } } } }).s3,
  });
  await expect(fetched('s3://acme/data.bin', land)).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringContaining('HTTP cannot carry what is sent for it (ERR_INVALID_CHAR)'),
  });
});

// The examples of "Authenticating Requests: Using the Authorization Header" in the API reference of Amazon S3.
test.each([
  [{ lifecycle: '' }, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  [{ 'max-keys': '2', prefix: 'J' }, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
])('a request of %o is signed as its publisher does', async (query, signature) => {
  const storage: Storage = { name: 'aws', region: 'us-east-1', secrets: { keyId: 'id', key: 'key' } };
  const url = urlOf(storage, 'examplebucket', '', query);
  // Of the region of the examples the host has no region in its name.
  url.host = 'examplebucket.s3.amazonaws.com';
  const values: Record<string, string> = { id: 'AKIAIOSFODNN7EXAMPLE', key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
  const headers = await signed(url, storage, async (name) => values[name]!, new Date('2013-05-24T00:00:00Z'));
  expect(headers['authorization']).toContain(`Signature=${signature}`);
});

test.each([
  [{ region: 'eu-central-1' }, 'acme', 'a b/ü+(1).csv', 'https://acme.s3.eu-central-1.amazonaws.com/a%20b/%C3%BC%2B%281%29.csv'],
  [{ region: 'eu-central-1' }, 'acme.eu', 'x', 'https://s3.eu-central-1.amazonaws.com/acme.eu/x'],
  [{ region: 'auto', endpoint: 'http://minio:9000' }, 'acme', 'x', 'http://minio:9000/acme/x'],
  [{ region: 'auto', endpoint: 'https://r2.example.com', pathStyle: false }, 'acme', 'x', 'https://acme.r2.example.com/x'],
])('with %o the object %s of %s is at %s', (storage, bucket, key, url) => {
  expect(urlOf({ name: 'here', ...storage }, bucket, key).href).toBe(url);
});

test.each(['plain.csv', 'a b/ü+(1)&=.csv', 'per%20cent.csv', "it's!*.csv", 'deep/er//x.csv'])('the object %s comes whole', async (key) => {
  const bytes = randomBytes(1_000);
  put(key, bytes);
  const found = await fetched(`s3://acme/${key}`);
  expect([sha256(await readFile(found.path)), found.sha256]).toEqual([sha256(bytes), sha256(bytes)]);
  server.requests.length = 0;
  expect(await fetched(`s3://acme/${key}`)).toMatchObject({ again: true });
});

test('an object that breaks off twenty times comes whole, each byte asked for once', async () => {
  const bytes = randomBytes(300_000);
  put('data.bin', bytes);
  const waiting = new Map<number, () => void>();
  const came = (count: number): Promise<void> => new Promise((resolve) => void waiting.set(count, resolve));
  server.twist((request, response, serial) => serial <= 20 && (cutAfter(7_001, request, response, objects.get('data.bin')!, came), true));
  const found = await landing()('s3://acme/data.bin', { signal, progress: (done) => waiting.get(done)?.() });
  expect(sha256(await readFile(found.path))).toBe(sha256(bytes));
  const begins = server.requests.slice(0, 21).map(({ headers }) => Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0));
  expect(begins).toEqual(Array.from({ length: 21 }, (_, at) => at * 7_001));
});

test('objects of a pattern are read from all pages, in the order of their keys, and asked for again only where they changed', async () => {
  for (const key of ['2026/b.csv', '2026/a.csv', '2026/x/c.csv', '2026/x/d.json', '2025/a.csv', '2026/', '2026/e.csv'])
    put(key, Buffer.from(`id\n${key}\n`));
  const found = await fetched('s3://acme/2026/{[ab],x/?,e}.csv');
  const files = await expandPath(found.path);
  expect(files.map(({ name }) => name)).toEqual(['a.csv', 'b.csv', 'e.csv', 'x/c.csv']);
  expect(await readFile(files[3]!.path, 'utf8')).toBe('id\n2026/x/c.csv\n');
  const kept = await keepFor(join(root, 'run'), found);
  expect((await expandPath(join(root, 'run', kept))).map(({ name }) => name)).toEqual(['a.csv', 'b.csv', 'e.csv', 'x/c.csv']);
  server.requests.length = 0;
  put('2026/a.csv', Buffer.from('id\nother\n'));
  const again = await fetched('s3://acme/2026/{[ab],x/?,e}.csv');
  expect(again.sha256).not.toBe(found.sha256);
  const asked = server.requests.map(({ path }) => path).filter((path) => !path.includes('list-type'));
  expect(new Set(asked)).toEqual(new Set(['/acme/2026/a.csv']));
  // What the first one read is as it was.
  expect(await readFile(files[0]!.path, 'utf8')).toBe('id\n2026/a.csv\n');
  expect(await fetched('s3://acme/2026/{[ab],x/?,e}.csv')).toMatchObject({ again: true, sha256: again.sha256 });
});

test('the same objects are the same source, in whatever order they are listed', async () => {
  for (const key of ['day/a.csv', 'day/b.csv', 'day/c.csv']) put(key, Buffer.from(`id\n${key}\n`));
  const { sha256: first } = await fetched('s3://acme/day/*.csv');
  server.listBackwards();
  expect(await fetched('s3://acme/day/*.csv')).toMatchObject({ again: true, sha256: first, names: ['a.csv', 'b.csv', 'c.csv'] });
});

test('a folder, as consoles make them, is no file of a pattern', async () => {
  put('day/', Buffer.alloc(0));
  put('day/sub/', Buffer.alloc(0));
  put('day/a.csv', Buffer.from('id\n1\n'));
  for (const pattern of ['day/*', 'day/**']) expect((await fetched(`s3://acme/${pattern}`)).names).toEqual(['a.csv']);
});

test('objects below a name that begins with a dot are left out as files of this host are, and what is fetched is read', async () => {
  for (const key of ['day/a.csv', 'day/.late.csv', 'day/.part/b.csv', 'day/x/c.csv', 'day/x/.d/e.csv'])
    put(key, Buffer.from(`id\n${key}\n`));
  const found = await fetched('s3://acme/day/**/*.csv');
  expect(found.names).toEqual(['a.csv', 'x/c.csv']);
  expect((await expandPath(found.path)).map(({ name }) => name)).toEqual(found.names);
  const asked = server.requests.map(({ path }) => path).filter((path) => !path.includes('list-type'));
  expect(new Set(asked)).toEqual(new Set(['/acme/day/a.csv', '/acme/day/x/c.csv']));
  await expect(fetched('s3://acme/day/{a,.late}.csv')).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringContaining("'.late.csv' begins with a dot"),
    remedy: expect.stringContaining('one by one'),
  });
  expect(await readFile((await fetched('s3://acme/day/.late.csv')).path, 'utf8')).toBe('id\nday/.late.csv\n');
});

test('an object whose key is exactly the text wins over the pattern', async () => {
  put('a[1].csv', Buffer.from('exactly'));
  put('a1.csv', Buffer.from('by the pattern'));
  const found = await fetched('s3://acme/a[1].csv');
  expect([basename(found.path), await readFile(found.path, 'utf8')]).toEqual(['a_1_.csv', 'exactly']);
});

test.each(['between its listing and its first byte', 'while it is read'] as const)(
  'an object of a pattern that is replaced %s is refused, and with it all',
  async (when) => {
    put('a.csv', randomBytes(50_000));
    put('b.csv', randomBytes(50_000));
    const other = randomBytes(50_000);
    server.twist((request, response) => {
      if (!request.url!.includes('b.csv') || objects.get('b.csv')!.bytes === other) return false;
      const before = objects.get('b.csv')!;
      put('b.csv', other);
      if (when === 'while it is read') return (cutAfter(20_000, request, response, before), true);
      return false;
    });
    await expect(fetched('s3://acme/*.csv')).rejects.toMatchObject({
      name: 'NotFetched',
      message: 's3://acme/b.csv was replaced while it was read: nothing of it is kept',
    });
    expect(sha256(await readFile((await expandPath((await fetched('s3://acme/*.csv')).path))[1]!.path))).toBe(sha256(other));
  },
);

test.each([
  ['expired', { ...keys, token: 'another' }, /400 ExpiredToken/, /'acme-id', 'acme-key', 'acme-token' were lent for a time/],
  ['of nobody', { ...keys, id: 'another' }, /403 InvalidAccessKeyId/, /'acme-id'/],
  ['that do not belong together', { ...keys, key: 'another' }, /403 SignatureDoesNotMatch/, /'acme-key': .* 'acme-id'/],
])('keys %s are a refusal at once that names the secrets', async (_, good, message, remedy) => {
  put('x.csv', Buffer.from('id\n1\n'));
  server.lend(good);
  for (const file of ['s3://acme/x.csv', 's3://acme/*.csv']) {
    server.requests.length = 0;
    await expect(fetched(file)).rejects.toMatchObject({
      name: 'NotFetched',
      message: expect.stringMatching(message),
      remedy: expect.stringMatching(remedy),
    });
    expect(server.requests).toHaveLength(1);
  }
});

test('what is not there, or not to be had without a key, is said with its remedy', async () => {
  put('x.csv', Buffer.from('id\n1\n'));
  await expect(fetched('s3://acme/y.csv')).rejects.toMatchObject({ message: expect.stringContaining('404 NoSuchKey') });
  await expect(fetched('s3://other/y.csv')).rejects.toMatchObject({ remedy: expect.stringContaining("another storage than 'here'") });
  await expect(fetched('s3://acme/*.json')).rejects.toMatchObject({ message: expect.stringContaining('no object matches') });
  await expect(fetched('s3://acme/x.csv', landing({ secrets: false }))).rejects.toMatchObject({
    remedy: expect.stringContaining('secrets: { keyId: NAME'),
  });
  server.twist((_, response) => (response.writeHead(301, { 'x-amz-bucket-region': 'eu-west-1' }).end(), true));
  await expect(fetched('s3://acme/x.csv')).rejects.toMatchObject({ remedy: expect.stringContaining("region: 'eu-west-1'") });
});

test.each(['constructor', 'toString', '__proto__'])('the storage %s is not configured because every object has one', async (storage) => {
  await expect(fetched({ s3: 's3://acme/x.csv', storage })).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringContaining(`'${storage}' is not under sources.s3`),
  });
});

test('a refusal whose code is a word of the language is one like any other', async () => {
  server.twist((_, response) => (response.writeHead(403).end('<Error><Code>constructor</Code></Error>'), true));
  await expect(fetched('s3://acme/x.csv')).rejects.toMatchObject({ remedy: expect.stringContaining('let the one to whom the secrets') });
});

test('a pattern whose range runs backwards is refused before anything is asked for', async () => {
  await expect(fetched('s3://acme/2026/[z-a].csv')).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringContaining("the range '[z-a]' runs backwards"),
    remedy: expect.stringContaining('[a-z]'),
  });
  expect(server.requests).toEqual([]);
});

test('a pattern whose braces stand for more than can be looked for is refused before anything is asked for', async () => {
  await expect(fetched(`s3://acme/${'{a,b}'.repeat(10)}.csv`)).rejects.toMatchObject({
    name: 'NotFetched',
    message: expect.stringContaining('its braces stand for 1,024 patterns, at most 1,000'),
  });
  expect(server.requests).toEqual([]);
});

test('objects that together are too large are refused before any is fetched', async () => {
  for (const key of ['a', 'b', 'c']) put(`${key}.bin`, randomBytes(1_000));
  await expect(fetched('s3://acme/*.bin', landing({ mostBytes: 2_999 }))).rejects.toMatchObject({
    message: expect.stringMatching(/3 objects of \S+ kB are larger than/),
  });
  expect(server.requests.every(({ path }) => path.includes('list-type'))).toBe(true);
});

test.each([
  [['a.csv', 'a.csv/b.csv'], /'a.csv' is one too/],
  [['x//b.csv'], /'' is no name of a file/],
])('keys %o that are no names of files are refused', async (names, message) => {
  for (const key of names) put(key, Buffer.from(`id\n${key}\n`));
  await expect(fetched('s3://acme/**')).rejects.toMatchObject({ name: 'NotFetched', message: expect.stringMatching(message) });
});

test.each([
  ['<EncodingType>url</EncodingType>', ['a+b.csv', 'a%2Bb.csv', 'a%20b.csv'], ['a b.csv', 'a+b.csv']],
  ['', ['a+b.csv', '100%.csv', 'a%20b.csv'], ['100%.csv', 'a%20b.csv', 'a+b.csv']],
])('keys of a listing that says "%s" are decoded where it says so', (said, written, keys) => {
  const contents = written.map((key) => `<Contents><Key>${key}</Key><ETag>"x"</ETag><Size>1</Size></Contents>`).join('');
  for (const body of [`${contents}${said}`, `${said}${contents}`])
    expect(new Set(readPage(`<ListBucketResult>${body}</ListBucketResult>`).objects.map(({ key }) => key))).toEqual(new Set(keys));
});

test('a storage that lists keys as they are has them fetched as they are', async () => {
  for (const key of ['a+b.csv', '100%.csv']) put(key, Buffer.from('id\n1\n'));
  server.listPlain();
  expect((await fetched('s3://acme/*.csv')).names).toEqual(['100%.csv', 'a+b.csv']);
});

test.each([17, 200_000])('a listing that is %i elements deep is refused before it is read', async (depth) => {
  server.twist((_, response) => (response.end(`${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`), true));
  await expect(fetched('s3://acme/*.csv')).rejects.toMatchObject({ message: expect.stringContaining('elements within elements') });
});

test.each([
  ['<html></html>', /is no ListBucketResult/],
  ['<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>', /does not say where/],
  ['<!DOCTYPE x><ListBucketResult></ListBucketResult>', /document type/],
  ['<ListBucketResult><Contents><Key>x</Key></Contents></ListBucketResult>', /without Key or ETag/],
  ['not XML', /listing of the bucket/],
  [
    '<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>100%.csv</Key><ETag>x</ETag></Contents></ListBucketResult>',
    /not URL-encoded/,
  ],
])('a listing %s is refused', async (body, message) => {
  server.twist((_, response) => (response.end(body), true));
  await expect(fetched('s3://acme/*.csv')).rejects.toMatchObject({ name: 'NotFetched', message: expect.stringMatching(message) });
});
