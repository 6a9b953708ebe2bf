import { randomUUID } from 'node:crypto';
import { partOperation } from '../contracts/maps/uploads.ts';
import { attempt } from './attempt.ts';
import { ApiError, ContractError, NetworkError, UrlsExpired } from './errors.ts';
import { readAll } from './answer-body.ts';
import { isNearer } from './host-reach.ts';
import { onThisMachine } from './refusals-read.ts';
import type { Permits } from './permits.ts';
import { saidBy } from './refusal.ts';

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
    const { protocol, origin, hostname } = new URL(url);
    // As for connections: rows leave this machine over https alone.
    if (protocol !== 'https:' && !(protocol === 'http:' && onThisMachine.test(hostname)))
      throw new ContractError('maps.uploads.start', 'answer', `a part URL begins with ${protocol}//${hostname}, and parts go over https`);
    // Where the service is elsewhere, so is where its parts go: nothing on this machine or in its network is written to at its word.
    if (serviceUrl !== undefined && isNearer(hostname, new URL(serviceUrl).hostname))
      throw new ContractError(
        'maps.uploads.start',
        'answer',
        `a part URL leads to ${hostname}, on this machine or in its network, where the service at ${new URL(serviceUrl).hostname} is not`,
      );
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
    if ('refused' in attempted) {
      const { refused } = attempted;
      if ([400, 401, 403, 410].includes(refused.status) && /expire/i.test(refused.body))
        throw new UrlsExpired({ operation, requestId, detail: refused.body });
      throw new ApiError({ operation, requestId, ...refused, ...saidBy(refused, url) });
    }
    await readAll(attempted.answer.body);
    const { etag } = attempted.answer.headers;
    // Without it the part cannot be named when the upload ends: no answer.
    if (!etag) throw new NetworkError({ operation, requestId, code: 'no ETag', sent: true, url: origin });
    return { etag, requestId };
  };
