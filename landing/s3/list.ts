import { NotFetched } from '../../errors/classes.ts';
import type { S3Address } from '../../pipelines/s3-address.ts';
import { createGlob, fixedPart } from '../../text/glob.ts';
import { createAsking, type AskOptions, type Asking } from '../ask.ts';
import type { Target } from '../../reach/request.ts';
import { readXml } from './xml.ts';

export type S3Object = { key: string; etag: string; bytes: number };

/** Most objects of one pattern, as of files. */
const mostObjects = 10_000;

/** Most names that are gone through for them. */
const mostNames = 1_000_000;

/** A page has at most 1,000 names of 1,024 bytes. */
const mostPageBytes = 16 * 1024 * 1024;

type Page = { objects: S3Object[]; next: string | undefined };

/** A key as it is: in a listing it may be URL-encoded, since XML does not hold every character. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    throw new Error('has a key that is not URL-encoded, as it says that all are');
  }
}

/** Reads a page of a listing (ListObjectsV2). Fails where it is none. */
export function readPage(text: string): Page {
  const objects: S3Object[] = [];
  let end: Readonly<Record<string, string>> | undefined;
  readXml(text, (path, fields) => {
    if (path === 'ListBucketResult') end = fields;
    if (path !== 'ListBucketResult/Contents') return;
    const { Key: key, ETag: etag = '', Size: size } = fields;
    if (key === undefined || etag === '') throw new Error('has an object without Key or ETag');
    objects.push({
      key,
      etag: etag.startsWith('"') ? etag : `"${etag}"`,
      bytes: Number(size),
    });
  });
  if (!end) throw new Error('is no ListBucketResult');
  const next = end['IsTruncated'] === 'true' ? end['NextContinuationToken'] : undefined;
  if (end['IsTruncated'] === 'true' && !next) throw new Error('goes on, and does not say where');
  // Storage that does not know of the encoding that was asked for lists keys as they are, and says none.
  if (end['EncodingType'] === 'url') for (const object of objects) object.key = decoded(object.key);
  return { objects, next };
}

/**
 * The objects of a bucket whose keys fit a pattern, in the order of their keys; one whose key is exactly the text wins over the pattern.
 * `page` is the target of a page. Fails with `NotFetched` where there is none, and where there are more than 10,000.
 */
export async function listObjects(
  { bucket, key: pattern }: S3Address,
  page: (query: Record<string, string>) => Target,
  options: AskOptions,
): Promise<S3Object[]> {
  const fits = createGlob(pattern);
  const found: S3Object[] = [];
  let names = 0;
  let token: string | undefined;
  const place = `s3://${bucket}/${pattern}`;
  do {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      prefix: fixedPart(pattern),
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const target = page(query);
    const { objects, next } = await readWhole(createAsking(target, options), target.place);
    for (const object of objects) {
      if (object.key === pattern) return [object];
      // A folder, as consoles make them, is an object of no bytes.
      if (fits(object.key) && !object.key.endsWith('/')) found.push(object);
    }
    names += objects.length;
    if (found.length > mostObjects || names > mostNames)
      throw new NotFetched(
        `${place}: ${found.length > mostObjects ? `matches more than ${mostObjects.toLocaleString('en-US')} objects` : `more than ${mostNames.toLocaleString('en-US')} objects have names that begin so`}`,
        'narrow the pattern',
      );
    token = next;
  } while (token !== undefined);
  if (found.length === 0) throw new NotFetched(`${place}: no object matches`, 'correct the pattern');
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** One page, asked for again until it has come whole. */
async function readWhole(asking: Asking, place: string): Promise<Page> {
  for (;;) {
    const answer = await asking.ask({});
    if (!answer) continue;
    const chunks: Uint8Array[] = [];
    try {
      let bytes = 0;
      for await (const chunk of answer.body) {
        chunks.push(chunk);
        if ((bytes += chunk.byteLength) > mostPageBytes)
          throw new NotFetched(`${place}: a page of the listing is too long`, 'see what is there');
      }
    } catch (error) {
      await asking.failed(error);
      continue;
    } finally {
      answer.close();
    }
    try {
      return readPage(Buffer.concat(chunks).toString('utf8'));
    } catch (error) {
      throw new NotFetched(`${place}: the listing of the bucket ${(error as Error).message}`, 'is it S3-compatible storage that is there?');
    }
  }
}
