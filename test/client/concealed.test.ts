import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { revealing } from '../../client/secret-sink.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const key = 'nk-canary/with+signs==';

async function clientOf(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createClient('maps', { baseUrl, token: key, permits: createPermits(), secrets: revealing });
}

const refused = (call: Promise<unknown>): Promise<Error & { status: number; body: string }> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

test.each([
  ['slashes', (body: string) => body.replaceAll('/', String.raw`\/`)],
  ['plus signs', (body: string) => body.replaceAll('+', String.raw`\u002B`)],
])('a key that a refusal quotes with escaped %s is not said again', async (_, escape) => {
  const body = escape(JSON.stringify({ detail: `invalid token ${key}` }));
  const api = await clientOf((_, response) => response.writeHead(401, { 'content-type': 'application/json' }).end(body));
  const error = await refused(api.user.get({}));
  expect(error.message).toContain('invalid token [the key]');
  expect(error.body).not.toContain(JSON.parse(`"${escape(key)}"`));
  expect(JSON.stringify(error)).not.toContain('canary');
});

test('what stands concealed in an address that a refusal quotes is not said again', async () => {
  const api = await clientOf(({ method, url }, response) =>
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ message: `Route ${method}:${url} not found` })),
  );
  const error = await refused(api.identity.refresh({ refresh_token: 'rt-canary-0123456789' }));
  expect(`${error.message} ${error.body}`).toContain('[refresh_token]');
  expect(`${error.message} ${error.body}`).not.toContain('canary');
});
