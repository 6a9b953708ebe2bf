import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { isAmbiguous } from '../../client/errors.ts';
import type { InputOf } from '../../client/invoke.ts';
import { createPermits } from '../../client/permits.ts';
import type { Filter, Selection } from '../../contracts/maps/selection.ts';

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

test('a time that no timer can keep is refused before the call leaves; a fraction of a millisecond is rounded up', async () => {
  let calls = 0;
  const api = await clientOf((_, response) => (calls++, response.end('{"projects":[]}')));
  let left = 0;
  const onLeaving = (): void => void left++;
  for (const timeoutMs of [0, -1, NaN, Infinity, 2 ** 31])
    await expect(api.organizations.create({ nickname: 'x' }, { timeoutMs, onLeaving })).rejects.toMatchObject({
      name: 'ContractError',
      side: 'request',
      message: expect.stringContaining('timeoutMs'),
    });
  expect([calls, left]).toEqual([0, 0]);
  await expect(api.projects.list({}, { timeoutMs: 100_000 / 3 })).resolves.toEqual({ projects: [] });
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

describe('points of a selection', () => {
  const ask: InputOf<'maps.query.select'> = {
    projection_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
    selection: { method: 'composition', conjunctor: 'ALL', filters: [] },
  };
  const pointsOf = async (status: number, body: unknown): Promise<unknown[]> => {
    const api = await clientOf(answers(status, body));
    const points: unknown[] = [];
    await api.query.select(ask, { onItems: async (items) => void points.push(...items) });
    return points;
  };

  test.each([
    ['a list', 200, ['a', 'b'], ['a', 'b']],
    ['a list with another status of success', 201, ['a', 'b'], ['a', 'b']],
    ['a list under data, behind other fields', 200, { total: 2, data: ['a', 'b'] }, ['a', 'b']],
    ['a list of one-field objects', 200, { data: [{ id: 'a' }] }, [{ id: 'a' }]],
    ['an empty list', 200, [], []],
  ])('%s are its members', async (_, status, body, points) => {
    expect(await pointsOf(status, body)).toEqual(points);
  });

  test.each([
    ['behind a byte order mark', '\uFEFF["a","b"]'],
    ['under data, behind a byte order mark', '\uFEFF{"data":["a","b"]}'],
    ['under an escaped name', '{"d\\u0061ta":["a","b"]}'],
  ])('a list %s is its members too', async (_, text) => {
    const api = await clientOf((_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(text));
    const points: unknown[] = [];
    const rest = await api.query.select(ask, { onItems: async (items) => void points.push(...items) });
    expect(points).toEqual(['a', 'b']);
    expect(JSON.stringify(rest)).not.toContain('"a"');
  });

  test.each([
    ['members of another form under an escaped name', '{"d\\u0061ta":[null]}', []],
    ['a list that is there twice', '{"data":["a"],"data":["b"]}', ['a']],
  ])('%s break the contract', async (_, text, handedOver) => {
    const api = await clientOf((_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(text));
    const points: unknown[] = [];
    await expect(api.query.select(ask, { onItems: async (items) => void points.push(...items) })).rejects.toMatchObject({
      name: 'ContractError',
      side: 'answer',
    });
    expect(points).toEqual(handedOver);
  });

  test.each([
    ['a list of errors', { errors: ['boom'] }],
    ['findings', { detail: [{ loc: ['body'], msg: 'no' }] }],
    ['members of another form', [{ id: 'a', score: 1 }]],
    ['members that are no ids', [null]],
    ['nothing', null],
    ['a list under another name', { rows: ['a'] }],
  ])('%s are no points: the answer breaks its contract', async (_, body) => {
    await expect(pointsOf(200, body)).rejects.toMatchObject({ name: 'ContractError', side: 'answer' });
  });

  test('members of an answer that has none are not waited for', async () => {
    const api = await clientOf(answers(200, {}));
    await expect(api.projects.list({}, { onItems: async () => undefined })).rejects.toMatchObject({
      name: 'ContractError',
      side: 'request',
    });
  });
});

describe('what is not the API', () => {
  const html: RequestListener = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');

  test.each<[string, RequestListener]>([
    ['a page', html],
    ['text', (_, response) => response.writeHead(200).end('OK')],
    ['nothing', (_, response) => response.writeHead(200).end()],
    ['JSON of another API', answers(200, { status: 'ok' })],
  ])('%s with status 200 is refused, and what to look at is said', async (_, handler) => {
    const api = await clientOf(handler);
    await expect(api.user.get({})).rejects.toMatchObject({
      name: 'ContractError',
      side: 'answer',
      remedy: expect.stringContaining('URL of the connection'),
    });
  });

  const id = '0f8fad5b-d9cb-469f-a165-70867728950e';

  test('a page is none either where nothing of the answer is read', async () => {
    const api = await clientOf(html);
    for (const call of [api.health.get({}), api.indices.update({ project_id: id })])
      await expect(call).rejects.toMatchObject({
        name: 'ContractError',
        side: 'answer',
        message: expect.stringContaining('a page of HTML'),
      });
  });

  test('a page in place of a refusal is one: its title is said, not its text', async () => {
    const page = '\n<!DOCTYPE html><title>Proxy login</title><p>secret-canary</p>';
    const api = await clientOf((_, response) => response.writeHead(403).end(page));
    await expect(api.user.get({})).rejects.toMatchObject({
      name: 'ApiError',
      message: 'maps.user.get answered 403: a page of HTML: Proxy login',
      remedy: expect.stringContaining('URL of the connection'),
    });
  });

  test('a 204 is no answer of an operation with another status, though its body says nothing', async () => {
    const api = await clientOf((_, response) => response.writeHead(204).end());
    for (const call of [api.user.get({}), api.projects.update({ project_id: id, id }), api.indices.update({ project_id: id })]) {
      const error: unknown = await call.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'ContractError', remedy: expect.stringContaining('URL of the connection') });
      expect(isAmbiguous(error)).toBe(true);
    }
  });

  test('an acknowledgement without a body is one', async () => {
    const api = await clientOf((_, response) => response.writeHead(200).end());
    await expect(api.projects.update({ project_id: id, id })).resolves.toBeNull();
  });

  test('an answer is bounded while it comes, decompressed: a small one that unpacks to a gigabyte is given up', async () => {
    // More than sockets hold, compressed as it is.
    const most = 64 * 1024;
    let written = 0;
    const zeros = Buffer.alloc(1024 * 1024, 0x20);
    const api = await clientOf(async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      const packed = createGzip();
      packed.pipe(response);
      for (; written < most && !response.destroyed; written++) if (!packed.write(zeros)) await once(packed, 'drain');
      packed.end();
    });
    await expect(api.user.get({})).rejects.toMatchObject({
      name: 'ContractError',
      message: expect.stringContaining('longer than 67108864 bytes'),
    });
    expect(written).toBeLessThan(most);
  });

  test('a compressed answer is read as it was before', async () => {
    const api = await clientOf((_, response) =>
      response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync(JSON.stringify({ projects: [{ id: 'a', project_name: 'A', slug: 'a' }] }))),
    );
    expect((await api.projects.list({})).projects).toMatchObject([{ slug: 'a' }]);
  });

  test.each(['gzip', 'deflate', 'br'])('a body of no bytes that is said to be %s is an empty one', async (coding) => {
    const api = await clientOf((_, response) => response.writeHead(200, { 'content-encoding': coding }).end());
    await expect(api.projects.update({ project_id: id, id })).resolves.toBeNull();
  });

  test('a compressed body that is cut, after some bytes or before the first, is a lost answer', async () => {
    const whole = gzipSync('null');
    for (const [length, bytes] of [
      [5, 5],
      [whole.length, 5],
      [whole.length, 0],
    ] as const) {
      const api = await clientOf((_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': length }).flushHeaders();
        response.write(whole.subarray(0, bytes), () => response.socket!.end());
      });
      await expect(api.projects.update({ project_id: id, id })).rejects.toMatchObject({ name: 'NetworkError', sent: true });
    }
  });
});

test('a value that nests thousands of levels is refused before it is sent', async () => {
  let deep: Filter = { method: 'category', field: 'a', values: [] };
  for (let level = 0; level < 20_000; level++) deep = { method: 'composition', conjunctor: 'ALL', filters: [deep] };
  const api = await clientOf(answers(200, []));
  await expect(
    api.query.select({ projection_id: '0f8fad5b-d9cb-469f-a165-70867728950e', selection: deep as Selection }),
  ).rejects.toMatchObject({ name: 'ContractError', side: 'request', message: expect.stringContaining('nests too deep') });
});
