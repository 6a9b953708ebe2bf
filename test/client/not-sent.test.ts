import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createPlain, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { selfSigned } from '../support/self-signed.ts';

let dir: string;
let tls: { key: Buffer; cert: Buffer };
let server: Server | undefined;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portolan-tls-'));
  const { key, certificate } = await selfSigned(dir);
  tls = { key: readFileSync(key), cert: readFileSync(certificate) };
});
afterAll(() => rm(dir, { recursive: true, force: true }));
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const input = { key_name: 'films', organization_id: '00000000-0000-4000-8000-000000000001' };

async function failureAt(made: Server, scheme: 'http' | 'https') {
  let requests = 0;
  server = made
    .on('request', (request) => {
      requests++;
      request.socket.destroy();
    })
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = createClient('maps', { baseUrl, token: 'nk-key-of-tests', permits: createPermits() });
  const error: unknown = await api.keys.remove(input).catch((thrown: unknown) => thrown);
  return { error, requests };
}

test.each([
  ['a certificate is not trusted', () => createServer(tls) as unknown as Server],
  ['a port speaks no TLS', () => createPlain()],
])('nothing was sent where %s', async (_, make) => {
  const { error, requests } = await failureAt(make(), 'https');
  expect(requests).toBe(0);
  expect(error).toMatchObject({ name: 'NetworkError', sent: false });
});

test('what a connection broke off under may have been carried out', async () => {
  const { error, requests } = await failureAt(createPlain(), 'http');
  expect(requests).toBe(1);
  expect(error).toMatchObject({ name: 'NetworkError', sent: true });
});
