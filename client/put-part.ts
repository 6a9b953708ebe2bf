import { randomUUID } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { partOperation } from '../contracts/maps/uploads.ts';
import { classify } from './classify.ts';
import { ContractError, NetworkError, Throttled, UrlsExpired } from './errors.ts';
import { admit, type Permits } from './permits.ts';
import { heed, traceHeaders } from './refusals-read.ts';
import { apiError, clientProcess, networkCode, unsent } from './send.ts';

export type PutPart = (part: Part, options?: { signal?: AbortSignal }) => Promise<{ etag: string; requestId: string }>;

export type Part = {
  /** Signed: who holds it may write the part, so it stands in no message. */
  url: string;
  /** The same for every sending of the same part of the same upload. */
  callId: string;
  bytes: number;
  /** Exactly `bytes` bytes. A chunk has left this process before the next one is asked for: its buffer may be used again. */
  body: AsyncIterable<Uint8Array>;
};

const limit = 'maps/part';

/** Nothing moves for so long: the connection is given up. */
const stalledMs = 60_000;

/** Of an answer that is not wanted no more is read. */
const longestAnswer = 64 * 1024;

// Node's own client, because fetch copies a streamed body and tells nothing of back-pressure.
const protocols: Record<string, { request: typeof httpRequest; agent: HttpAgent }> = {
  'http:': { request: httpRequest, agent: new HttpAgent({ keepAlive: true }) },
  'https:': { request: httpsRequest, agent: new HttpsAgent({ keepAlive: true }) },
};

/**
 * Sends one part once to its signed URL, without a key, and answers its ETag as it came. Throws what a call throws, and
 * `UrlsExpired` for a 403 that says so. `fence` is awaited right before a part leaves, as for a call.
 */
export const createPutPart =
  (permits: Permits, fence?: () => Promise<void>): PutPart =>
  async (part, { signal } = {}) => {
    const requestId = randomUUID();
    const info = { operation: partOperation, requestId };
    const permit = await admit(permits, limit, { ...info, holder: part.callId, signal, fence });
    const answer = await exchange(part, requestId, signal).catch((error: unknown) => {
      permit.confirm();
      throw error;
    });
    const verdict = classify({
      status: answer.status,
      retryAfter: answer.headers['retry-after'] ?? null,
      date: answer.headers.date ?? null,
      now: Date.now(),
    });
    heed(permits, verdict, { url: part.url, limit, requestId: String(answer.headers['x-request-id'] ?? requestId) });
    permit.confirm();
    if (verdict.kind === 'wait')
      throw new Throttled({ ...info, limit, waitMs: verdict.ms, sent: true, status: answer.status, asked: verdict.asked });
    if (answer.status === 403 && /expired/i.test(answer.text)) throw new UrlsExpired({ ...info, detail: answer.text });
    if (verdict.kind === 'fail') throw apiError(partOperation, requestId, answer.status, answer.text, verdict.retryable);
    const { etag } = answer.headers;
    // Without it the part cannot be named when the upload ends: no answer.
    if (!etag) throw new NetworkError({ ...info, code: 'no ETag', sent: true, url: new URL(part.url).origin });
    return { etag, requestId: String(answer.headers['x-request-id'] ?? requestId) };
  };

type Answer = { status: number; headers: IncomingHttpHeaders; text: string };

function exchange({ url, callId, bytes, body }: Part, requestId: string, signal: AbortSignal | undefined): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { origin, protocol } = new URL(url);
  const over = protocols[protocol];
  if (!over) throw new ContractError('maps.uploads.start', 'answer', `a part URL begins with ${protocol}`);
  const headers = {
    'content-length': bytes,
    'content-type': 'application/octet-stream',
    'x-request-id': requestId,
    ...traceHeaders(url, limit, clientProcess, callId),
  };
  const outgoing = over.request(url, { method: 'PUT', agent: over.agent, headers, ...(signal ? { signal } : {}) });
  let answered = false;
  outgoing.setTimeout(stalledMs, () => void outgoing.destroy(Object.assign(new Error('nothing moves'), { code: 'timeout' })));
  outgoing.on('error', (error) => {
    if (signal?.aborted) return reject(signal.reason);
    const code = networkCode(error);
    reject(new NetworkError({ operation: partOperation, requestId, code, sent: !unsent.has(code), url: origin }));
  });
  outgoing.on('response', (incoming) => {
    answered = true;
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => void (text += text.length < longestAnswer ? chunk : ''));
    incoming.on('error', (error) => outgoing.emit('error', error));
    incoming.on('end', () => {
      resolve({ status: incoming.statusCode!, headers: incoming.headers, text });
      // Refused before the body was through: the rest is not sent.
      if (!outgoing.writableFinished) outgoing.destroy();
    });
  });

  const feed = async (): Promise<void> => {
    for await (const chunk of body) {
      if (answered || outgoing.destroyed) return;
      // Written means handed to the system; why it could not be written is told by the request's own error.
      await new Promise<void>((written) => void outgoing.write(chunk, () => written()));
    }
    outgoing.end();
  };
  feed().catch((error: unknown) => {
    reject(error);
    outgoing.destroy();
  });
  return promise;
}
