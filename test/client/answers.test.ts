import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { isAmbiguous } from '../../client/errors.ts';
import { createPermits } from '../../client/permits.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function urlOf(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const clientOf = async (handler: RequestListener, more: { timeoutMs?: number } = {}) =>
  createClient('maps', { baseUrl: await urlOf(handler), token: 'nk-secret-canary', permits: createPermits(), ...more });

const answers =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

test('a redirect is an answer of its own: neither the call nor its key goes where it points', async () => {
  let followed = 0;
  const elsewhere = await urlOf((_, response) => {
    followed += 1;
    response.end('{}');
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const api = await clientOf(answers(status, {}, { location: `${elsewhere}/v1/user` }));
    await expect(api.user.get({})).rejects.toMatchObject({
      name: 'ApiError',
      status,
      message: expect.stringContaining(`redirects to ${elsewhere}`),
      remedy: expect.stringContaining('follows a redirect'),
    });
  }
  expect(followed).toBe(0);
});

test('a call may have more time than the calls of its client', async () => {
  const api = await clientOf(async (_, response) => void (await sleep(50), response.end('{"projects":[]}')), { timeoutMs: 1 });
  await expect(api.projects.list({})).rejects.toMatchObject({ name: 'NetworkError', code: 'timeout' });
  await expect(api.projects.list({}, { timeoutMs: 100_000 })).resolves.toEqual({ projects: [] });
});

test('a Retry-After that is a date is measured against the date of its answer, whatever the clock is here', async () => {
  const hours = (more: number): string => new Date(Math.floor(Date.now() / 1_000) * 1_000 + 2 * 3_600_000 + more).toUTCString();
  const api = await clientOf(answers(429, {}, { date: hours(0), 'retry-after': hours(7_000) }));
  await expect(api.user.get({})).rejects.toMatchObject({ name: 'Throttled', waitMs: 7_000 });
});

test('an answer with Retry-After stands, and holds the next call of its class', async () => {
  let calls = 0;
  const api = await clientOf((request, response) => {
    calls += 1;
    answers(200, { projects: [] }, { 'retry-after': '9' })(request, response);
  });
  await expect(api.projects.list({})).resolves.toEqual({ projects: [] });
  await expect(api.projects.list({})).rejects.toMatchObject({ name: 'Throttled', sent: false });
  expect(calls).toBe(1);
});

test('an operation that needs no key is sent without one', async () => {
  const seen: (string | undefined)[] = [];
  const api = await clientOf((request, response) => {
    seen.push(request.headers.authorization);
    response.end('{}');
  });
  await api.health.get({});
  await expect(api.user.get({})).rejects.toMatchObject({ name: 'ContractError' });
  expect(seen).toEqual([undefined, 'Bearer nk-secret-canary']);
});

test('what stands in a path is one segment of it, whatever it holds', async () => {
  const seen: (string | undefined)[] = [];
  const api = await clientOf((request, response) => {
    seen.push(request.url);
    response.writeHead(404).end('{}');
  });
  await expect(api.projects.bySlug({ organization_slug: '../a?b', project_slug: 'c d/#' })).rejects.toMatchObject({ status: 404 });
  expect(seen).toEqual(['/v1/project/..%2Fa%3Fb/c%20d%2F%23']);
});

test.each<[string, number, string, boolean]>([
  ['a failure that may pass', 500, '{}', true],
  ['a gateway that gave up', 504, '<html></html>', true],
  ['an answer that does not fit its contract', 200, '{}', true],
  ['an answer that is not JSON', 200, '<html></html>', true],
  ['a refusal', 422, '{}', false],
  ['a missing thing', 404, '{}', false],
])('%s: may the call have had its effect?', async (_, status, body, ambiguous) => {
  const api = await clientOf((_request, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body));
  const error: unknown = await api.user.get({}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(isAmbiguous(error)).toBe(ambiguous);
});
