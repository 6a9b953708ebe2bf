import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { mkdtempSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { CallOptions } from '../../client/client.ts';
import { createPermits } from '../../client/permits.ts';
import { toRequest } from '../../client/request.ts';
import { send } from '../../client/send.ts';
import { defineEndpoint, type Endpoint } from '../../contracts/endpoint.ts';
import { operations } from '../../contracts/index.ts';
import { readFields } from '../../service/http/input.ts';
import { createSpool } from '../../service/http/spool.ts';

const servers: Server[] = [];
const spool = createSpool(mkdtempSync(join(tmpdir(), 'portolan-spool-')));
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const common = { method: 'POST', path: '/v1/things', summary: '', effect: 'safe', limit: 'maps/read', status: 200 } as const;
const anything = z.looseObject({});

/** Sends fields as an operation of this kind, and reads them as the local service does. */
async function throughTheWire(
  endpoint: Endpoint,
  input: Record<string, unknown>,
  options: CallOptions = {},
): Promise<Record<string, unknown>> {
  let read: Promise<Record<string, unknown>> | undefined;
  const server = createServer((incoming: IncomingMessage, response) => {
    const request = new Request(`http://127.0.0.1${incoming.url}`, { headers: incoming.headers as Record<string, string> });
    const address = { method: 'POST', path: endpoint.path, operation: 'maps.user.get', query: {} } as const;
    read = readFields({ address, endpoint, request, params: {}, body: incoming, spool }).then(async ({ values }) => {
      const body = values['body'];
      const kept = endpoint.body === 'stream' ? { body: await bytesOf(body as AsyncIterable<Uint8Array>) } : values;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return kept;
    });
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await send('maps.things.try', endpoint, input, { baseUrl, token: 'nk-x', permits: createPermits() }, options);
  return read!;
}

const bytesOf = async (body: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
};

test('fields that a contract does not know are refused, and sent as they are where they are given as extra', async () => {
  const strict = z.strictObject({ query: z.string(), k: z.int().default(4) });
  const json = defineEndpoint({ ...common, input: strict, output: anything });
  await expect(throughTheWire(json, { query: 'x', semanticSearch: true })).rejects.toMatchObject({
    name: 'ContractError',
    message: expect.stringContaining('semanticSearch'),
    remedy: expect.stringContaining('extra'),
  });
  const extra = { semanticSearch: true, k: null };
  expect(await throughTheWire(json, { query: 'x' }, { extra })).toEqual({ query: 'x', ...extra });
  const form = defineEndpoint({ ...common, body: 'urlencoded', input: strict, output: anything });
  expect(await throughTheWire(form, { query: 'x' }, { extra: { more: 'y' } })).toEqual({ query: 'x', k: '4', more: 'y' });
  const get = await toRequest({ ...json, method: 'GET', query: { query: 'text' } }, { query: 'x' }, 'http://localhost', { more: [1] });
  expect(new URL(get.url).search).toBe('?query=x&more=%5B1%5D');
  // A body that is one list has no room for another field.
  const list = { ...json, input: z.object({ things: z.array(z.int()) }), wholeBody: 'things' } as const;
  const whole = await toRequest(list, { things: [1] }, 'http://localhost', { more: 'y' });
  expect([new URL(whole.url).search, whole.body]).toEqual(['?more=y', '[1]']);
});

describe('a body', () => {
  test('of a form with files arrives as it was sent: names, types and bytes', async () => {
    const endpoint = defineEndpoint({ ...common, body: 'multipart', input: anything, output: anything });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 2_000 }),
        // Forms turn lone line breaks into CRLF.
        fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, '')),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((name) => name.replaceAll(/[\r\n"\\/%]/g, '_')),
        async (bytes, text, name) => {
          const got = await throughTheWire(endpoint, {
            text,
            image: new File([bytes], name, { type: 'image/png' }),
            more: [new Blob([bytes]), new Blob(['--portolan\r\n'])],
            count: 3,
          });
          expect({ text: got['text'], count: got['count'] }).toEqual({ text, count: '3' });
          const image = got['image'] as File;
          expect([image.name, image.type, new Uint8Array(await image.arrayBuffer())]).toEqual([name, 'image/png', bytes]);
          const [first, second] = got['more'] as File[];
          expect([first!.name, new Uint8Array(await first!.arrayBuffer()), await second!.text()]).toEqual([
            'more',
            bytes,
            '--portolan\r\n',
          ]);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('that is urlencoded arrives with its lists', async () => {
    const endpoint = defineEndpoint({ ...common, body: 'urlencoded', input: anything, output: anything });
    expect(await throughTheWire(endpoint, { model: 'a&b=c', urls: ['https://x/?a=1', 'ü'] })).toEqual({
      model: 'a&b=c',
      urls: ['https://x/?a=1', 'ü'],
    });
  });

  test('that is a stream is read while it is made', async () => {
    const endpoint = defineEndpoint({ ...common, body: 'stream', input: anything, output: anything });
    async function* body(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 50; at++) yield new Uint8Array(64 * 1024).fill(at);
    }
    const got = (await throughTheWire(endpoint, { body: body() }))['body'] as Uint8Array;
    expect(got.byteLength).toBe(50 * 64 * 1024);
    expect(got.at(-1)).toBe(49);
  });

  /** A service that answers any call, its calls by their ids and types, and what reaches it. */
  async function listening() {
    const seen = new Set<string | undefined>();
    const server = createServer((request, response) => {
      seen.add(`${String(request.headers['x-call-id'])} ${String(request.headers['content-type'])}`);
      request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const transport = {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      token: 'k',
      permits: createPermits(),
      callScope: 's',
    };
    return { seen, transport };
  }

  test('of the same fields is the same call, form or not', async () => {
    const { seen, transport } = await listening();
    const endpoint = defineEndpoint({ ...common, body: 'multipart', input: anything, output: anything });
    for (let at = 0; at < 2; at++) await send('maps.things.try', endpoint, { file: new Blob(['same']) }, transport);
    expect(seen.size).toBe(1);
    await send('maps.things.try', endpoint, { file: new Blob(['other']) }, transport);
    expect(seen.size).toBe(2);
  });

  test.each([
    ['json', { a: 1 }, { a: 2 }],
    ['urlencoded', { a: '1' }, { a: '2' }],
    ['bytes', { body: Buffer.from('a') }, { body: Buffer.from('b') }],
  ] as const)('of other fields at the same address is another call, as %s', async (body, one, other) => {
    const { seen, transport } = await listening();
    const endpoint = defineEndpoint({ ...common, body, input: anything, output: anything });
    for (const fields of [one, one, other]) await send('maps.things.try', endpoint, fields, transport);
    expect(seen.size).toBe(2);
  });
});

describe('an answer', () => {
  const answered = async (endpoint: Endpoint, body: string | Uint8Array, type: string, status = 200): Promise<any> => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status, { 'content-type': type }).end(body));
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return send('maps.things.try', endpoint, {}, { baseUrl, token: 'k', permits: createPermits() });
  };
  const one = { ...common, input: anything };

  test('in an envelope is what the envelope holds', async () => {
    const endpoint = defineEndpoint({ ...one, envelope: 'data', output: z.looseObject({ id: z.string() }) });
    expect(await answered(endpoint, '{"data":{"id":"a"}}', 'application/json')).toEqual({ id: 'a' });
    expect(await answered(endpoint, '{"id":"a"}', 'application/json'), 'a service may leave it out').toEqual({ id: 'a' });
  });

  test('of bytes, of either, as a stream, or that nobody reads', async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const raw = 'application/octet-stream';
    expect(await answered(defineEndpoint({ ...one, answer: 'bytes', output: z.instanceof(Uint8Array) }), bytes, raw)).toEqual(
      Buffer.from(bytes),
    );
    const either = defineEndpoint({ ...one, answer: 'json or bytes', output: z.unknown() });
    expect(await answered(either, bytes, raw)).toEqual(Buffer.from(bytes));
    expect(await answered(either, '[1]', 'application/json')).toEqual([1]);
    const stream = await answered(defineEndpoint({ ...one, answer: 'stream', output: z.custom<AsyncIterable<Uint8Array>>() }), bytes, raw);
    expect(await bytesOf(stream)).toEqual(bytes);
    const empty = defineEndpoint({ ...one, status: 204, output: z.null() });
    expect(await answered(empty, '', 'application/json', 204)).toBeNull();
    expect(await answered(defineEndpoint({ ...one, answer: 'nothing', output: z.null() }), 'gone', 'text/plain')).toBeNull();
  });

  test('longer than its operation allows is refused', async () => {
    const endpoint = defineEndpoint({ ...one, answerBytes: 10, output: z.unknown() });
    await expect(answered(endpoint, '["0123456789"]', 'application/json')).rejects.toMatchObject({
      name: 'ContractError',
      side: 'answer',
      message: expect.stringContaining('longer than 10 bytes'),
    });
  });
});

test('an operation whose answer holds a secret is not sent where nothing keeps it', async () => {
  const endpoint: Endpoint = operations['maps.keys.create'];
  await expect(
    send(
      'maps.keys.create',
      endpoint,
      { organization_id: '0f8fad5b-d9cb-469f-a165-70867728950e', key_name: 'a' },
      {
        baseUrl: 'http://127.0.0.1:1',
        token: 'k',
        permits: createPermits(),
      },
    ),
  ).rejects.toMatchObject({ name: 'ContractError', side: 'request', message: expect.stringContaining('holds a secret (key)') });
});
