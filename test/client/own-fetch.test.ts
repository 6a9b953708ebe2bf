import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { createOwnFetch } from '../../client/own-fetch.ts';
import { createPermits } from '../../client/permits.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Reply = { status: number; headers?: OutgoingHttpHeaders; body?: string | Buffer };

/** A server of this test and what it was asked. */
async function serving(reply: (request: IncomingMessage) => Reply) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const { status, headers, body = 'said' } = reply(request);
    response.writeHead(status, headers).end(body);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const fetching = (fence: () => Promise<void> = async () => undefined) =>
  createOwnFetch(
    { permits: createPermits(), limitOf: (url) => url.origin, secret: async (name) => `value-of-${name}` },
    { scope: 'run/step', signal: new AbortController().signal, fence },
  );

test('a redirect is an answer: the secret goes to the address that was named and to no other', async () => {
  const other = await serving(() => ({ status: 200 }));
  const named = await serving(() => ({ status: 302, headers: { location: other.url } }));
  const reply = await fetching()(named.url, { auth: 'CRM' });
  expect(reply.status).toBe(302);
  expect(named.seen[0]!.headers.authorization).toBe('Bearer value-of-CRM');
  expect(other.seen).toEqual([]);
});

test.each([
  ['http://crm.example/', 'over plain http everyone'],
  ['https://me:word@crm.example/', 'holds a user or password'],
  ['ftp://crm.example/', 'is not fetched'],
  ['crm.example', 'is no URL'],
])('%s is refused before anything is sent', async (url, says) => {
  await expect(fetching()(url, { auth: 'CRM' })).rejects.toMatchObject({ name: 'RefusedRequest', message: expect.stringContaining(says) });
});

test.each([
  ['POST', 204],
  ['POST', 205],
  ['GET', 304],
  ['HEAD', 200],
  ['GET', 200],
])('an answer to %s of %i that names a coding and has no bytes is empty', async (method, status) => {
  const { url } = await serving(() => ({ status, headers: { 'content-encoding': 'gzip' }, body: '' }));
  const reply = await fetching()(url, { method });
  expect([reply.status, await reply.text()]).toEqual([status, '']);
});

test('a secret that no header carries is refused by its name before anything is sent', async () => {
  const { url, seen } = await serving(() => ({ status: 200 }));
  const refused = fetching()(url, { auth: '“CRM”' });
  await expect(refused).rejects.toMatchObject({ name: 'RefusedRequest', message: expect.stringContaining("the secret '“CRM”' holds") });
  await expect(refused).rejects.not.toThrow(/value-of/);
  expect(seen).toEqual([]);
});

test('an effect passes the fence, a read does not', async () => {
  const { url, seen } = await serving(() => ({ status: 200 }));
  const fetch = fetching(() => Promise.reject(new Error('given away')));
  await expect(fetch(url, { method: 'POST' })).rejects.toThrow('given away');
  expect(seen).toEqual([]);
  expect((await fetch(url)).status).toBe(200);
});

test('a message names origin and path: a query may hold a secret', async () => {
  const { url } = await serving(() => ({ status: 429 }));
  const { message, ...facts } = await fetching()(`${url}/search?token=canary`).then(
    () => expect.unreachable('it is refused'),
    (thrown: Error) => thrown,
  );
  expect(facts).toMatchObject({ name: 'Throttled', operation: `fetch GET ${url}/search` });
  expect(message + JSON.stringify(facts)).not.toContain('canary');
});

/** A server that holds its answers back, and what each of them is. */
async function holding() {
  const held: ServerResponse[] = [];
  const came = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    held.push(response);
    came.resolve();
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, held, came: came.promise };
}

test('timeoutSeconds bounds the time until the answer begins, and not that of its body', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { url, held, came } = await holding();
    const waiting = fetching()(`${url}/slow`, { timeoutSeconds: 900 });
    await came;
    await vi.advanceTimersByTimeAsync(899_000);
    held[0]!.writeHead(200).write('one ');
    const reply = await waiting;
    await vi.advanceTimersByTimeAsync(1_000_000);
    held[0]!.end('two');
    expect(await reply.text()).toBe('one two');

    const late = fetching()(url, { method: 'POST' });
    const failed = late.catch((error: unknown) => error);
    while (held.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await failed).toMatchObject({ name: 'NetworkError', code: 'timeout', sent: true, retryable: true });
  } finally {
    vi.useRealTimers();
  }
});

test.each([0, -1, NaN, Infinity, 2_147_484])('a timeoutSeconds of %d is refused before anything is sent', async (timeoutSeconds) => {
  const { url, seen } = await serving(() => ({ status: 200 }));
  let passed = 0;
  const refused = fetching(async () => void passed++)(url, { method: 'POST', timeoutSeconds });
  await expect(refused).rejects.toMatchObject({
    name: 'ContractError',
    side: 'request',
    message: expect.stringContaining('timeoutSeconds'),
  });
  expect([passed, seen]).toEqual([0, []]);
});

test('an answer that breaks off is a network failure: it may be tried again', async () => {
  const { url, held, came } = await holding();
  const waiting = fetching()(url, { method: 'POST' });
  await came;
  held[0]!.writeHead(200, { 'content-length': '100' }).write('half');
  const reply = await waiting;
  held[0]!.destroy();
  await expect(reply.text()).rejects.toMatchObject({ name: 'NetworkError', code: 'ECONNRESET', sent: true, retryable: true });
});

test('it is sent and answered as fetch does: bytes, streams, codings, repeated headers, answers without a body', async () => {
  const bodies: string[] = [];
  const { url, seen } = await serving((request) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    if (request.url === '/zip') return { status: 200, headers: { 'content-encoding': 'gzip' }, body: gzipSync('unzipped') };
    if (request.url === '/none') return { status: 204, body: '' };
    return { status: 201, headers: { 'set-cookie': ['a=1', 'b=2'] } };
  });
  const fetch = fetching();
  const made = await fetch(`${url}/made`, { method: 'put', body: new TextEncoder().encode('bytes'), headers: { 'content-length': '1' } });
  expect([made.status, made.statusText, made.url, made.headers.getSetCookie(), await made.text()]).toEqual([
    201,
    'Created',
    `${url}/made`,
    ['a=1', 'b=2'],
    'said',
  ]);
  expect(seen[0]).toMatchObject({ method: 'PUT', headers: { 'content-length': '5', 'user-agent': 'portolan' } });
  async function* pieces() {
    for (const word of ['one ', 'two']) yield new TextEncoder().encode(word);
  }
  await (await fetch(`${url}/stream`, { method: 'POST', body: pieces() })).text();
  expect(bodies.join('')).toBe('bytesone two');
  expect(await (await fetch(`${url}/zip`)).text()).toBe('unzipped');
  expect(await fetch(`${url}/none`)).toMatchObject({ status: 204, body: null });
  expect(await fetch(url, { method: 'HEAD' })).toMatchObject({ status: 201, body: null });
  await expect(fetch(url, { method: 'CONNECT' })).rejects.toMatchObject({ name: 'RefusedRequest' });
});

test('a body that its source cannot give leaves open what was done with its beginning', async () => {
  const { url } = await serving(() => ({ status: 200 }));
  async function* broken() {
    yield new TextEncoder().encode('one ');
    throw new Error('no more');
  }
  await expect(fetching()(url, { method: 'POST', body: broken() })).rejects.toMatchObject({ name: 'NetworkError', sent: true });
});
