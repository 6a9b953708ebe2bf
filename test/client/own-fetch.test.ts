import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createOwnFetch } from '../../client/own-fetch.ts';
import { createPermits } from '../../client/permits.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Reply = { status: number; headers?: Record<string, string> };

/** A server of this test and what it was asked. */
async function serving(reply: (request: IncomingMessage) => Reply) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const { status, headers } = reply(request);
    response.writeHead(status, headers).end('said');
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
