import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server whose clock is an hour late. */
const then = Date.now() - 3_600_000;
const date = new Date(then).toUTCString();
const later = new Date(then + 30_000).toUTCString();

test.each([
  ['Retry-After', ['retry-after', '1', 'retry-after', '30']],
  ['Date', ['date', date, 'date', date, 'retry-after', later]],
])('of a header %s that a gateway repeats the wait is read', async (_, headers) => {
  server = createServer((_, response) => {
    response.sendDate = false;
    response.writeHead(429, ['content-type', 'application/json', ...headers]).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = createClient('maps', { baseUrl, token: 'nk-key-of-tests', permits: createPermits() });
  await expect(api.user.get({})).rejects.toMatchObject({ name: 'Throttled', waitMs: 30_000 });
});
