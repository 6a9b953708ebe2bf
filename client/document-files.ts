import { randomUUID } from 'node:crypto';
import { fileOperation } from '../contracts/maps/documents.ts';
import { attempt } from './attempt.ts';
import { readAll } from './answer-body.ts';
import type { Permits } from './permits.ts';
import { getSignedFile } from './signed-file.ts';
import { answered, checkSignedUrl } from './signed-url.ts';

export type DocumentFiles = {
  /** Sends a file whole to the URL that `upload` gave. */
  put(url: string, bytes: Uint8Array): Promise<void>;
  /** The bytes behind the URL of a result, at most so many. */
  get(url: string, most: number): Promise<Uint8Array>;
};

/** Nothing moves for so long: the connection is given up. */
const stalledMs = 60_000;

/** Where the reading of a result is counted among the operations. */
const resultOperation = 'maps.documents.status';

/**
 * Files that go to be parsed, and results that come back, by signed URLs without a key: one attempt each. They throw what a call throws,
 * and `UrlsExpired` where the time of a URL is over.
 */
export const createDocumentFiles = (
  permits: Permits,
  {
    fence,
    serviceUrl,
    onSent,
    signal,
  }: { fence?: () => Promise<void>; serviceUrl?: string; onSent?: (operation: string) => void; signal?: AbortSignal } = {},
): DocumentFiles => ({
  async put(url, bytes) {
    checkSignedUrl(url, { by: 'maps.documents.upload', what: 'the URL of a file', goes: 'documents' }, serviceUrl);
    const attempted = await attempt({
      operation: fileOperation,
      requestId: randomUUID(),
      limit: 'maps/part',
      permits,
      request: {
        method: 'PUT',
        url,
        headers: {
          'content-length': String(bytes.byteLength),
          'content-type': 'application/octet-stream',
          // Signed into the URLs of the hosted service.
          'x-amz-server-side-encryption': 'AES256',
        },
        body: (async function* () {
          yield bytes;
        })(),
        stalledMs,
      },
      signal,
      fence,
      onSent: () => onSent?.(fileOperation),
    });
    await readAll(answered(attempted, fileOperation, url).body);
  },
  get: (url, most) =>
    getSignedFile(
      { url, most, serviceUrl, permits, signal, limit: 'maps/read' },
      { by: resultOperation, what: 'the URL of a result', goes: 'results' },
    ),
});
