import { randomUUID } from 'node:crypto';
import { partOperation } from '../contracts/maps/uploads.ts';
import { attempt } from './attempt.ts';
import { NetworkError } from './errors.ts';
import { readAll } from './answer-body.ts';
import type { Permits } from './permits.ts';
import { answered, checkSignedUrl } from './signed-url.ts';

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

/** Nothing moves for so long: the connection is given up. */
const stalledMs = 60_000;

/**
 * Sends one part once to its signed URL, without a key, and returns its ETag as it came. Throws what a call throws, and
 * `UrlsExpired` for a 403 that says so. `fence` is awaited right before a part leaves, as for a call;
 * `serviceUrl`: of the service that gives the URLs; `onSent` is called for each part that leaves.
 */
export const createPutPart =
  (
    permits: Permits,
    { fence, serviceUrl, onSent }: { fence?: () => Promise<void>; serviceUrl?: string; onSent?: (operation: string) => void } = {},
  ): PutPart =>
  async ({ url, callId, bytes, body }, { signal } = {}) => {
    const operation = partOperation;
    checkSignedUrl(url, { by: 'maps.uploads.start', what: 'a part URL', goes: 'parts' }, serviceUrl);
    const attempted = await attempt({
      operation,
      requestId: randomUUID(),
      limit: 'maps/part',
      permits,
      callId,
      request: {
        method: 'PUT',
        url,
        headers: { 'content-length': String(bytes), 'content-type': 'application/octet-stream' },
        body,
        stalledMs,
      },
      signal,
      fence,
      onSent: () => onSent?.(operation),
    });
    const { requestId } = attempted;
    const answer = answered(attempted, operation, url);
    await readAll(answer.body);
    const { etag } = answer.headers;
    // Without it the part cannot be named when the upload ends: no answer.
    if (!etag) throw new NetworkError({ operation, requestId, code: 'no ETag', sent: true, url: new URL(url).origin });
    return { etag, requestId };
  };
