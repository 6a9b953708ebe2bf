import { randomUUID } from 'node:crypto';
import type { LimitClass } from '../contracts/limits.ts';
import { bounded, readAll } from './answer-body.ts';
import { attempt } from './attempt.ts';
import type { Permits } from './permits.ts';
import { answered, checkSignedUrl, type Given } from './signed-url.ts';

/** Nothing comes for so long: the connection is given up. */
const stalledMs = 60_000;

type SignedFile = {
  url: string;
  /** The most bytes that are taken. */
  most: number;
  limit: LimitClass;
  /** The service that gave the URL. */
  serviceUrl: string | undefined;
  permits: Permits;
  signal: AbortSignal | undefined;
};

/**
 * The bytes behind a signed URL, without a key and in one attempt, to no other address than that. Throws what a call throws, and
 * `UrlsExpired` where the time of the URL is over.
 */
export async function getSignedFile({ url, most, limit, serviceUrl, permits, signal }: SignedFile, given: Given): Promise<Uint8Array> {
  checkSignedUrl(url, given, serviceUrl);
  const attempted = await attempt({
    operation: given.by,
    requestId: randomUUID(),
    limit,
    permits,
    request: { method: 'GET', url, headers: {}, stalledMs },
    signal,
  });
  return readAll(bounded(answered(attempted, given.by, url).body, most));
}
