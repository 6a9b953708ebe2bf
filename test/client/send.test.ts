import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { revealing } from '../../client/secret-sink.ts';

type Handler = Parameters<typeof createServer<any, any>>[1];
let server: Server | undefined;

async function client(handler: Handler, permits = createPermits()) {
  server = createServer(handler as never);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createClient('maps', { baseUrl, token: 'nk-secret-canary', permits, secrets: revealing });
}
const json = (response: any, status: number, body: unknown, headers = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const id = '00000000-0000-4000-8000-000000000001';

describe('a call', () => {
  test('puts path, query and body where the contract says, with the key as bearer', async () => {
    const seen: unknown[] = [];
    const api = await client((request: any, response: any) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk));
      request.on('end', () => {
        seen.push([request.method, request.url, body && JSON.parse(body), request.headers.authorization]);
        json(response, 200, { result: 'ok' });
      });
    });
    await api.projects.update({ project_id: id, id, description: 'a b' });
    expect(seen).toEqual([['POST', `/v1/project/update?project_id=${id}`, { id, description: 'a b' }, 'Bearer nk-secret-canary']]);
  });

  test.each([
    ['JSON', (response: any, said: string) => json(response, 401, { detail: `invalid token ${said}` })],
    ['text', (response: any, said: string) => response.writeHead(403).end(`no: ${said}`)],
  ])('does not say the key again that a refusal quotes as %s', async (_, refuse) => {
    const api = await client((request: any, response: any) => refuse(response, request.headers.authorization));
    const error: unknown = await api.user.get({}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining('Bearer [the key]') });
    expect(JSON.stringify([error, (error as Error).stack])).not.toContain('nk-secret-canary');
  });

  test('names process, call and refusals to a service on this machine alone', async () => {
    const seen: string[][] = [];
    await client((request: any, response: any) => {
      seen.push(Object.keys(request.headers).filter((name) => /process|call-id|refusals|sent-at/.test(name)));
      json(response, 429, {}, { 'retry-after': '0' });
    });
    const { port } = server!.address() as AddressInfo;
    // The last one reaches this machine too, by a name that a hosted service could have.
    for (const host of ['127.0.0.1', 'localhost', '0.0.0.0'])
      for (let call = 0; call < 2; call++) {
        const api = createClient('maps', { baseUrl: `http://${host}:${port}`, token: 'k', permits: createPermits() });
        await expect(api.user.get({})).rejects.toMatchObject({ sent: true });
      }
    const named = ['x-client-process', 'x-call-id', 'x-refusals-read'];
    expect(seen).toEqual([named, named, named, named, [], []]);
  });

  test('is sent once: a 429 becomes Throttled with the wait, and the class is closed for the next call', async () => {
    let calls = 0;
    const permits = createPermits();
    const api = await client((_: any, response: any) => {
      calls++;
      json(response, 429, { detail: 'slow down' }, { 'retry-after': '5' });
    }, permits);
    await expect(api.projects.list({})).rejects.toMatchObject({ name: 'Throttled', waitMs: 5_000, sent: true, retryable: true });
    await expect(api.user.get({})).rejects.toMatchObject({ name: 'Throttled', sent: false });
    expect(calls).toBe(1);
  });

  test('a refusal that was read is named to a service of this machine', async () => {
    const seen: unknown[] = [];
    const permits = createPermits();
    const api = await client((request: any, response: any) => {
      seen.push(request.headers['x-refusals-read']);
      response.setHeader('x-request-id', `refusal-${seen.length}`);
      json(response, 429, {}, { 'retry-after': '0' });
    }, permits);
    await api.projects.list({}).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, permits.remaining('maps/read') + 1));
    await api.projects.list({}).catch(() => undefined);
    expect(seen).toEqual(['-', 'refusal-']);
  });

  test('a 202 with Retry-After is never an answer', async () => {
    const api = await client((_: any, response: any) => json(response, 202, { projects: [] }, { 'retry-after': '3' }));
    await expect(api.projects.list({})).rejects.toMatchObject({ name: 'Throttled', waitMs: 3_000 });
  });

  test('an input that breaks the contract is refused before anything is sent', async () => {
    let calls = 0;
    const api = await client((_: any, response: any) => (calls++, json(response, 200, {})));
    await expect(api.projects.get({ project_id: 'nonsense' })).rejects.toMatchObject({
      name: 'ContractError',
      side: 'request',
      retryable: false,
    });
    expect(calls).toBe(0);
  });

  test('unknown fields of an answer are kept, a missing required one is a ContractError', async () => {
    const answers = [{ dataset_id: id, index_id: id, novel: true }, { dataset_id: id }];
    const api = await client((_: any, response: any) => json(response, 200, answers.shift()));
    expect(await api.projections.dataset({ map_id: id })).toEqual({ dataset_id: id, index_id: id, novel: true });
    await expect(api.projections.dataset({ map_id: id })).rejects.toMatchObject({ name: 'ContractError', side: 'answer' });
  });

  test('a refused connection was not sent, a dropped one may have been; neither quotes the key', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const refused = createClient('maps', {
      baseUrl: `http://127.0.0.1:${port}`,
      token: 'nk-secret-canary',
      permits: createPermits(),
    });
    const first = await refused.user.get({}).catch((error: Error) => error);
    expect(first).toMatchObject({ name: 'NetworkError', sent: false });
    const api = await client((request: any) => request.socket.destroy());
    const second = await api.user.get({}).catch((error: Error) => error);
    expect(second).toMatchObject({ name: 'NetworkError', sent: true });
    for (const error of [first, second]) expect(JSON.stringify(error) + (error as Error).stack).not.toContain('secret-canary');
  });

  test('what is not sent again goes over a connection of its own, which no service closes for having been idle', async () => {
    const used = new WeakSet<object>();
    const api = await client((request: any, response: any) => {
      // The service gives a kept connection up just as the next request comes.
      if (used.has(request.socket)) return void request.socket.destroy();
      used.add(request.socket);
      const answer = request.url === '/v1/user/token' ? { access_token: 'at', refresh_token: 'rt' } : { sub: 'ada' };
      request.resume().on('end', () => json(response, 200, answer));
    });
    await api.user.get({});
    await expect(api.user.get({})).rejects.toMatchObject({ name: 'NetworkError', sent: true });
    await api.user.get({});
    await expect(api.identity.token({ code: 'c' })).resolves.toMatchObject({ access_token: 'at' });
  });

  test.each(['nk-canary\u200b', 'nk-“canary”'])('a key that HTTP cannot carry (%j) was not sent, and is not quoted', async (token) => {
    let calls = 0;
    await client((_: any, response: any) => (calls++, json(response, 200, {})));
    const { port } = server!.address() as AddressInfo;
    const api = createClient('maps', { baseUrl: `http://127.0.0.1:${port}`, token, permits: createPermits() });
    const error = await api.organizations.create({ nickname: 'x' }).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ name: 'NetworkError', sent: false, retryable: false, message: expect.stringContaining('cannot carry') });
    expect(JSON.stringify(error) + (error as Error).stack).not.toContain('canary');
    expect(calls).toBe(0);
  });

  test.each([
    [{ detail: 'no such project' }, 'no such project'],
    [{ detail: [{ loc: ['body', 'k'], msg: 'too large', type: 'value_error' }] }, 'body.k too large'],
    [{ error: 'Invalid request body', code: 'bad_request' }, 'Invalid request body'],
  ])('the error body %j is read as its text', async (body, text) => {
    const api = await client((_: any, response: any) => json(response, 422, body));
    await expect(api.user.get({})).rejects.toMatchObject({
      name: 'ApiError',
      status: 422,
      retryable: false,
      message: expect.stringContaining(text),
    });
  });
});
