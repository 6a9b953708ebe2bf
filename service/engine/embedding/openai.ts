import { parseRetryAfter } from '../../../client/retry-after.ts';
import { HttpError } from '../../core/errors.ts';
import { CONTENT, DIMENSIONS, writeVector } from './layout.ts';
import type { Embedder } from './embedder.ts';

/** An OpenAI-compatible endpoint; `url` ends before `/embeddings` (for example `http://127.0.0.1:11434/v1`). */
export type OpenaiOptions = {
  provider: 'openai';
  url: string;
  model: string;
  apiKey?: string;
  /** Sent as `dimensions` where the endpoint can shorten. */ dimensions?: number;
  timeoutMs?: number;
};

/** Texts of one request: every compatible server takes this many. */
const BATCH = 64;
const ATTEMPTS = 4;

/** The longest Retry-After that is waited for: whoever asked for vectors gives up after a minute. */
const LONGEST_WAIT_MS = 10_000;

/** Content of an endpoint's vector: as it is up to `CONTENT` numbers, beyond that folded with signs, which keeps dot products. */
const fold = (vector: readonly number[]): Float32Array => {
  const content = new Float32Array(CONTENT);
  for (const [i, value] of vector.entries())
    content[i % CONTENT]! += Math.floor(i / CONTENT) % 2 === 1 && (Math.imul(i, 0x9e3779b1) & 0x10000) !== 0 ? -value : value;
  return content;
};

const delay = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(new Error('the embedder was closed'))), { once: true });
  });

/** Vectors from an OpenAI-compatible endpoint over HTTP; 429 and 5xx are tried four times, never before Retry-After. Where it gives none, or asks for a long wait: 502. */
export const createOpenaiEmbedder = ({ url, model, apiKey, dimensions, timeoutMs = 60_000 }: OpenaiOptions): Embedder => {
  const closing = new AbortController();
  const endpoint = `${url.replace(/\/+$/, '')}/embeddings`;

  const failed = (why: string): HttpError => new HttpError(502, `embedding endpoint ${endpoint}: ${why}`);
  /** What `fetch` and the body throw, as a failure of the endpoint; unless the embedder was closed. */
  const unreachable = (error: unknown): never => {
    if (closing.signal.aborted) throw error;
    const { message, cause } = error as Error;
    throw failed(cause instanceof Error ? `${message}: ${cause.message}` : message);
  };

  const request = async (input: readonly string[], attempt = 1): Promise<number[][]> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({ model, input, encoding_format: 'float', ...(dimensions === undefined ? {} : { dimensions }) }),
      signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]),
    }).catch(unreachable);
    if (response.ok) {
      const { data } = (await response.json().catch(unreachable)) as { data: { index?: number; embedding: number[] }[] };
      if (!Array.isArray(data) || data.length !== input.length)
        throw failed(`${input.length} texts sent, ${data?.length ?? 'no'} vectors in \`data\``);
      return data
        .map((row, i) => ({ at: row.index ?? i, vector: row.embedding }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ vector }) => vector);
    }
    const body = (await response.text().catch(unreachable)).slice(0, 300);
    if ((response.status !== 429 && response.status < 500) || attempt >= ATTEMPTS) throw failed(`status ${response.status}: ${body}`);
    const { headers } = response;
    const waitMs = parseRetryAfter(headers.get('retry-after'), { date: headers.get('date'), now: Date.now() }) || 250 * 2 ** attempt;
    if (waitMs > LONGEST_WAIT_MS) throw failed(`status ${response.status}, asks to wait ${Math.ceil(waitMs / 1_000)} s: ${body}`);
    await delay(waitMs, closing.signal);
    return request(input, attempt + 1);
  };

  return {
    name: `openai-compatible (${model})`,
    dimensions: DIMENSIONS,
    async embed(texts, task, mixed) {
      const vectors = new Float32Array(texts.length * DIMENSIONS);
      for (let at = 0; at < texts.length; at += BATCH) {
        // Endpoints refuse an empty text.
        const part = await request(texts.slice(at, at + BATCH).map((text) => (text.trim() === '' ? 'null' : text)));
        for (const [i, vector] of part.entries()) writeVector(fold(vector), task, mixed, vectors, (at + i) * DIMENSIONS);
      }
      return vectors;
    },
    async close() {
      closing.abort(new Error('the embedder was closed'));
    },
  };
};
