import { createHmac, timingSafeEqual } from 'node:crypto';
import { HttpError } from '../core/errors.ts';
import { keptSecret } from '../core/kept-secret.ts';

/** What a URL is signed for; `from`: the operation that gives another one. */
export type Signed = { method: 'GET' | 'PUT'; path: string; from: string };

export type Signer = {
  /** Query of a URL, with the names by which clients of S3 read when it was made and how long it holds. */
  sign(signed: Signed, at: number, seconds: number): string;
  /** Throws 403 for a query that this service did not sign for this, `expired` for one whose time is over at `at` (epoch milliseconds). */
  check(signed: Signed, query: URLSearchParams, at: number, expired: 400 | 403): void;
};

const ALGORITHM = 'PORTOLAN-HMAC-SHA256';

/** `20261121T153218Z`: whole seconds, rounded down. */
const stamp = (at: number): string =>
  new Date(at)
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'Z');

const timeOf = (text: string): number => Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** Signs URLs with a secret of the data directory: they hold over a restart, need no key, and end. */
export const createSigner = (dataDir: string): Signer => {
  const secret = keptSecret(dataDir, 'url-secret');
  const signature = ({ method, path }: Signed, date: string, seconds: string): Buffer =>
    createHmac('sha256', secret).update([ALGORITHM, method, path, date, seconds].join('\n')).digest();
  return {
    sign(signed, at, seconds) {
      const date = stamp(at);
      return new URLSearchParams({
        'X-Amz-Algorithm': ALGORITHM,
        'X-Amz-Date': date,
        'X-Amz-Expires': String(seconds),
        'X-Amz-Signature': signature(signed, date, String(seconds)).toString('hex'),
      }).toString();
    },
    check(signed, query, at, expired) {
      const date = query.get('X-Amz-Date') ?? '';
      const seconds = query.get('X-Amz-Expires') ?? '';
      const sent = Buffer.from(query.get('X-Amz-Signature') ?? '', 'hex');
      const right = signature(signed, date, seconds);
      if (sent.byteLength !== right.byteLength || !timingSafeEqual(sent, right))
        throw new HttpError(403, `SignatureDoesNotMatch: this URL was not signed for this; use the URL from ${signed.from} as it is`);
      const until = timeOf(date) + Number(seconds) * 1_000;
      if (at >= until)
        throw new HttpError(
          expired,
          `Request has expired: the URL was accepted for ${seconds} s, until ${new Date(until).toISOString()}; ${signed.from} gives a new one`,
        );
    },
  };
};
