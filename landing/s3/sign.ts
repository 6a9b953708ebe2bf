import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { LandingOptions } from '../landing.ts';
import type { Storage } from './storage.ts';

/** SHA-256 of Node, with a key or without, as the library asks for it. */
class Sha256 {
  readonly #hash: Hash | Hmac;
  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(key));
  }
  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {}
}

const bytesOf = (data: string | ArrayBuffer | ArrayBufferView): Buffer =>
  typeof data === 'string'
    ? Buffer.from(data)
    : data instanceof ArrayBuffer
      ? Buffer.from(data)
      : Buffer.from(data.buffer, data.byteOffset, data.byteLength);

/**
 * Headers by which a storage takes a GET of a URL (AWS Signature Version 4), by secrets that are read anew: none where it has no secrets.
 * `date`: when it is sent.
 */
export async function signed(
  url: URL,
  { region, secrets }: Pick<Storage, 'region' | 'secrets'>,
  secret: LandingOptions['secret'],
  date = new Date(),
): Promise<Record<string, string>> {
  if (!secrets) return {};
  const { keyId, key, token } = secrets;
  const credentials = {
    accessKeyId: await secret(keyId),
    secretAccessKey: await secret(key),
    ...(token !== undefined && { sessionToken: await secret(token) }),
  };
  // Of S3 a path is signed as it is sent.
  const signer = new SignatureV4({ service: 's3', region, credentials, sha256: Sha256, uriEscapePath: false });
  const { headers } = await signer.sign(
    {
      method: 'GET',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { host: url.host },
    },
    { signingDate: date },
  );
  return headers;
}
