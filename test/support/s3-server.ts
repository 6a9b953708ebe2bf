import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { send, type Twist } from './file-server.ts';

export type Stored = { bytes: Uint8Array; tag: string };

export type Keys = { id: string; key: string; token?: string };

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The tag of bytes that were stored at once: their MD5. */
export const tagOf = (bytes: Uint8Array): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

const xml = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Whether a request is signed by a key, worked out from the text that AWS has published, and not by a library. */
function isSigned({ method, url = '', headers }: IncomingMessage, key: string): boolean {
  const [, scope = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(headers.authorization ?? '') ?? [];
  const [day = '', region = '', service = ''] = scope.split('/');
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path,
    query.split('&').sort().join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const signing = ['aws4_request'].reduce(hmac, [region, service].reduce(hmac, hmac(`AWS4${key}`, day)));
  return names.split(';').includes('host') && hmac(signing, text).toString('hex') === signature;
}

/**
 * A server of one bucket that speaks S3: signed GETs of objects and of listings, in pages of `pageSize`. Tests twist it as they do a web
 * server. What a real server does is tried by `prove -- elsewhere`.
 */
export async function serveBucket(bucket: string, objects: Map<string, Stored>, keys: Keys, { pageSize = 2 } = {}) {
  let twist: Twist = () => undefined;
  let lent = keys;
  let listsPlain = false;
  let backwards = false;
  const requests: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const refuse = (response: ServerResponse, status: number, code: string): void =>
    void response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
  const list = (response: ServerResponse, query: URLSearchParams): void => {
    const from = query.get('continuation-token') ?? '';
    const names = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '') && key > from).sort();
    const page = names.slice(0, pageSize);
    const more = names.length > page.length;
    response.end(
      `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name>${listsPlain ? '' : '<EncodingType>url</EncodingType>'}${(backwards
        ? page.toReversed()
        : page
      )
        .map(
          (key) =>
            `<Contents><Key>${xml(listsPlain ? key : encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/'))}</Key><ETag>${xml(objects.get(key)!.tag)}</ETag><Size>${objects.get(key)!.bytes.byteLength}</Size></Contents>`,
        )
        .join(
          '',
        )}<IsTruncated>${more}</IsTruncated>${more ? `<NextContinuationToken>${xml(page.at(-1)!)}</NextContinuationToken>` : ''}</ListBucketResult>`,
    );
  };
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url!, 'http://here');
    const used = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1];
    if (used !== lent.id) return refuse(response, 403, used === undefined ? 'AccessDenied' : 'InvalidAccessKeyId');
    if (!isSigned(request, lent.key)) return refuse(response, 403, 'SignatureDoesNotMatch');
    if (request.headers['x-amz-security-token'] !== lent.token) return refuse(response, 400, 'ExpiredToken');
    const [, name = '', ...rest] = url.pathname.split('/');
    // Which buckets there are may be seen by few.
    if (name === '') return refuse(response, 403, 'AccessDenied');
    if (name !== bucket) return refuse(response, 404, 'NoSuchBucket');
    if (url.searchParams.has('list-type')) return list(response, url.searchParams);
    const found = objects.get(decodeURIComponent(rest.join('/')));
    return found ? send(request, response, found) : refuse(response, 404, 'NoSuchKey');
  };
  const server = createServer((request, response) => {
    requests.push({ path: request.url!, headers: request.headers });
    if (!twist(request, response, requests.length)) serve(request, response);
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    requests,
    twist: (next: Twist) => void (twist = next),
    /** Keys are listed as they are from now on, as storage does that does not know of an encoding. */
    listPlain: () => void (listsPlain = true),
    /** A page lists its last key first from now on. */
    listBackwards: () => void (backwards = true),
    /** Other keys are good from now on. */
    lend: (next: Keys) => void (lent = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => void server.close(closed));
    },
  };
}
