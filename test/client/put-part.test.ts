import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createPermits } from '../../client/permits.ts';
import { createDocumentFiles } from '../../client/document-files.ts';
import { exchange } from '../../client/exchange.ts';
import { isNearer } from '../../client/host-reach.ts';
import { createPutPart } from '../../client/put-part.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function urlOf(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  server = createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/part/1?signature=secret-canary`;
}

const block = Buffer.alloc(64 * 1024);
/** A body of blocks in one buffer that is written over as soon as the next one is asked for. */
async function* blocks(count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at += 1) {
    block.fill(at % 251);
    yield block;
  }
}
const part = (url: string, count: number, body: AsyncIterable<Uint8Array> = blocks(count)) => ({
  url,
  callId: 'call-1',
  bytes: count * block.byteLength,
  body,
});

test('sends the bytes of a reused buffer as they were, without a key, and returns the ETag as it came', async () => {
  const seen: { bytes: Buffer; headers: IncomingMessage['headers'] }[] = [];
  const url = await urlOf(async (request, response) => {
    const bytes = Buffer.concat(await request.toArray());
    seen.push({ bytes, headers: request.headers });
    response.writeHead(200, { etag: '"abc"' }).end();
  });
  expect(await createPutPart(createPermits())(part(url, 300))).toMatchObject({ etag: '"abc"' });
  const [{ bytes, headers }] = seen as [(typeof seen)[number]];
  expect(bytes).toHaveLength(300 * block.byteLength);
  for (let at = 0; at < 300; at += 1) expect(bytes[at * block.byteLength]).toBe(at % 251);
  expect(headers).toMatchObject({ 'content-length': String(bytes.length), 'x-call-id': 'call-1', 'x-request-id': expect.any(String) });
  expect(headers).not.toHaveProperty('authorization');
});

test('a file that is to be parsed is sent whole, without a key, and with the headers that are signed into its URL', async () => {
  const seen: unknown[] = [];
  const url = await urlOf(async (request, response) => {
    seen.push([String(Buffer.concat(await request.toArray())), request.headers]);
    response.end();
  });
  await createDocumentFiles(createPermits()).put(url, Buffer.from('words'));
  expect(seen).toMatchObject([
    ['words', { 'content-length': '5', 'content-type': 'application/octet-stream', 'x-amz-server-side-encryption': 'AES256' }],
  ]);
  expect(JSON.stringify(seen)).not.toContain('authorization');
});

const answers = (status: number, headers: Record<string, string> = {}, body = '') =>
  urlOf((request, response) => request.resume().on('end', () => response.writeHead(status, headers).end(body)));

test.each([
  ['429 with Retry-After', 429, { 'retry-after': '7' }, '', { name: 'Throttled', waitMs: 7_000, retryable: true, limit: 'maps/part' }],
  ['503 without', 503, {}, '', { name: 'Throttled', waitMs: 1_000 }],
  ['403 of an expired URL', 403, {}, '<Message>Request has expired</Message>', { name: 'UrlsExpired', retryable: false }],
  ['400 of an expired URL', 400, {}, '<Message>Request has expired</Message>', { name: 'UrlsExpired', retryable: false }],
  ['401 of an expired URL', 401, {}, 'Expired token', { name: 'UrlsExpired', retryable: false }],
  ['410 of an expired URL', 410, {}, 'the URL expired', { name: 'UrlsExpired', retryable: false }],
  ['400 of a part that came too slowly', 400, {}, '<Error><Code>RequestTimeout</Code></Error>', { name: 'ApiError', retryable: true }],
  ['400 of a part that came in part', 400, {}, '<Error><Code>IncompleteBody</Code></Error>', { name: 'ApiError', retryable: true }],
  ['any other 400', 400, {}, 'MalformedXML', { name: 'ApiError', status: 400, retryable: false }],
  ['any other 403', 403, {}, 'SignatureDoesNotMatch', { name: 'ApiError', status: 403, retryable: false }],
  ['500', 500, {}, '', { name: 'ApiError', retryable: true }],
  ['200 without an ETag', 200, {}, '', { name: 'NetworkError', code: 'no ETag', retryable: true }],
] as const)('%s', async (_, status, headers, body, expected) => {
  const url = await answers(status, headers, body);
  const error = await createPutPart(createPermits())(part(url, 2)).catch((thrown: Error) => thrown);
  expect(error).toMatchObject(expected);
  expect((error as Error).message).not.toContain('secret-canary');
});

test('after a refusal with Retry-After the next part does not leave', async () => {
  const permits = createPermits();
  const put = createPutPart(permits);
  const url = await answers(503, { 'retry-after': '9' });
  await expect(put(part(url, 1))).rejects.toMatchObject({ name: 'Throttled', sent: true });
  await expect(put(part(url, 1))).rejects.toMatchObject({ name: 'Throttled', sent: false });
});

test('an acknowledged part with Retry-After stands, and holds the next one', async () => {
  const put = createPutPart(createPermits());
  const url = await answers(200, { etag: '"abc"', 'retry-after': '9' });
  await expect(put(part(url, 1))).resolves.toMatchObject({ etag: '"abc"' });
  await expect(put(part(url, 1))).rejects.toMatchObject({ name: 'Throttled', sent: false });
});

test('a refusal that comes before the body is through ends the sending', async () => {
  let asked = 0;
  const ended = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (; asked < 4_096; asked += 1) yield block;
    } finally {
      ended.resolve();
    }
  }
  const url = await urlOf(({ socket }, response) => {
    socket.once('close', () => closed.resolve());
    response.writeHead(422, { 'content-length': 2 }).end('no');
  });
  // Only its client ends the connection.
  server!.keepAliveTimeout = 0;
  await expect(createPutPart(createPermits())(part(url, 4_096, endless()))).rejects.toMatchObject({ name: 'ApiError', status: 422 });
  await ended.promise;
  await closed.promise;
  expect(asked).toBeLessThan(4_096);
});

test('a connection on which nothing moves is given up', async () => {
  const url = await urlOf(() => undefined);
  await expect(exchange({ method: 'GET', url, headers: {}, stalledMs: 20 })).rejects.toMatchObject({ code: 'timeout' });
});

test('a body that fails ends the request, and the failure is thrown as it is', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield block;
    throw new Error('the source changed');
  }
  const cut = Promise.withResolvers<void>();
  const url = await urlOf((request) => void request.resume().on('error', () => cut.resolve()));
  await expect(createPutPart(createPermits())(part(url, 2, failing()))).rejects.toThrow('the source changed');
  await cut.promise;
});

test('a cancelled sending ends with the reason of its signal', async () => {
  const stop = new AbortController();
  const url = await urlOf((request) => void request.once('data', () => stop.abort(new Error('cancelled'))));
  await expect(createPutPart(createPermits())(part(url, 200), { signal: stop.signal })).rejects.toThrow('cancelled');
});

test('a connection that breaks is an answer that may have been lost; one that never was is not', async () => {
  const url = await urlOf((request) => void request.once('data', () => request.socket.destroy()));
  await expect(createPutPart(createPermits())(part(url, 200))).rejects.toMatchObject({ name: 'NetworkError', sent: true });
  await expect(createPutPart(createPermits())(part('http://127.0.0.1:1/x', 1))).rejects.toMatchObject({
    name: 'NetworkError',
    sent: false,
  });
});

test.each<readonly [url: string, serviceUrl: string | undefined, says: string]>([
  ['http://store.example/part', undefined, 'parts go over https'],
  ['ftp://127.0.0.1/part', undefined, 'parts go over https'],
  ['http://127.0.0.1:9/part', 'https://maps.example', 'a part URL leads to 127.0.0.1, on this machine'],
  ...[
    'https://[::1]/part',
    'https://[::ffff:127.0.0.1]/part',
    'https://0.0.0.0/part',
    'https://localhost./part',
    'https://store.localhost/part',
    'https://10.1.2.3/part',
    'https://172.31.0.1/part',
    'https://192.168.1.1/part',
    'https://100.64.0.1/part',
    'https://169.254.169.254/latest',
    'https://[::ffff:169.254.169.254]/latest',
    'https://[fd00::1]/part',
    'https://[fe80::1]/part',
    'https://intranet/part',
    'https://metadata.google.internal/part',
  ].map((url) => [url, 'https://maps.example', 'on this machine or in its network'] as const),
  ['https://127.0.0.1/part', 'https://maps.internal', 'on this machine or in its network'],
])('nothing is sent to %s by a service at %s', async (url, serviceUrl, says) => {
  const put = createPutPart(createPermits(), serviceUrl === undefined ? {} : { serviceUrl });
  await expect(put(part(url, 1))).rejects.toMatchObject({ name: 'ContractError', message: expect.stringContaining(says) });
});

test.each([
  ['https://172.32.0.1:1/part', 'https://maps.example'],
  ['https://127.0.0.1:1/part', 'http://127.0.0.1:8000'],
])('a part goes to %s for a service at %s', async (url, serviceUrl) => {
  const stop = new AbortController();
  stop.abort(new Error('it would have left'));
  await expect(createPutPart(createPermits(), { serviceUrl })(part(url, 1), { signal: stop.signal })).rejects.toThrow('it would have left');
});

test.each([
  ['10.0.0.5', 'maps.internal', false],
  ['store.internal', '10.0.0.5', false],
  ['store.example', 'maps.internal', false],
  ['172.15.0.1', 'maps.example', false],
  ['[2001:db8::1]', 'maps.example', false],
  ['10.0.0.5', 'maps.example', true],
])('%s is nearer than %s: %s', (host, than, nearer) => {
  expect(isNearer(host, than)).toBe(nearer);
});
