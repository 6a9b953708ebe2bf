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

/** Waited for where the caller names nothing else. */
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

/** Vectors from an OpenAI-compatible endpoint over HTTP; 429 and 5xx are tried four times, and no request is sent before a Retry-After is over. Where it gives none, or asks for a longer wait than the caller has: 502. */
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

  /** Until when the endpoint takes no requests, by the monotonic clock, and what it said. */
  let closed = { until: 0, by: '' };
  const opened = async (longestWaitMs: number): Promise<void> => {
    const waitMs = closed.until - performance.now();
    if (waitMs > longestWaitMs) throw failed(`${closed.by}; asks to wait ${Math.ceil(waitMs / 1_000)} s`);
    if (waitMs > 0) await delay(waitMs, closing.signal);
  };

  const request = async (input: readonly string[], longestWaitMs: number, attempt = 1): Promise<number[][]> => {
    await opened(longestWaitMs);
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
    const { status, headers } = response;
    const said = `status ${status}: ${body}`;
    const asked = parseRetryAfter(headers.get('retry-after'), { date: headers.get('date'), now: Date.now() }) ?? 0;
    const until = performance.now() + asked;
    if (asked > 0 && until > closed.until) closed = { until, by: said };
    if ((status !== 429 && status < 500) || attempt >= ATTEMPTS) throw failed(said);
    if (asked === 0) await delay(250 * 2 ** attempt, closing.signal);
    return request(input, longestWaitMs, attempt + 1);
  };

  return {
    name: `openai-compatible (${model})`,
    dimensions: DIMENSIONS,
    async embed(texts, task, mixed, longestWaitMs = LONGEST_WAIT_MS) {
      const vectors = new Float32Array(texts.length * DIMENSIONS);
      for (let at = 0; at < texts.length; at += BATCH) {
        // Endpoints refuse an empty text.
        const part = await request(
          texts.slice(at, at + BATCH).map((text) => (text.trim() === '' ? 'null' : text)),
          longestWaitMs,
        );
        for (const [i, vector] of part.entries()) writeVector(fold(vector), task, mixed, vectors, (at + i) * DIMENSIONS);
      }
      return vectors;
    },
    async close() {
      closing.abort(new Error('the embedder was closed'));
    },
  };
};
