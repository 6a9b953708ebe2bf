import pLimit from 'p-limit';
import { NotFetched } from '../../errors/classes.ts';
import { s3Parts, s3Problem } from '../../pipelines/s3-address.ts';
import { fileName, pathOf } from '../../pipelines/source-name.ts';
import type { RemoteFile } from '../../pipelines/source-spec.ts';
import { fixedPart, isGlob } from '../../text/glob.ts';
import { bytes as sized } from '../../text/units.ts';
import { fetchFile, type FetchedFile, type FetchOptions } from '../fetch-file.ts';
import { checkNames } from '../file-names.ts';
import { landSet, type Landed } from '../file-set.ts';
import type { LandingOptions } from '../landing.ts';
import { localName, withEnding } from '../local-name.ts';
import type { Target } from '../../reach/request.ts';
import { listObjects, type S3Object } from './list.ts';
import { s3Refusal } from './refusal.ts';
import { signed } from './sign.ts';
import { storageOf, urlOf, type Storages } from './storage.ts';

/** So many objects of a pattern are fetched at a time. */
const atATime = 4;

type S3Options = FetchOptions & { secret: LandingOptions['secret']; storages: Storages };

/**
 * Fetches an object, or those of a pattern as they were listed. Fails as `fetchFile` does; one that is replaced between its listing and
 * its last byte is refused, and with it all.
 */
export async function landObjects(file: RemoteFile, { secret, storages, ...options }: S3Options): Promise<Landed> {
  const storage = storageOf(file, storages);
  // What a file gives by an expression has been seen by nobody.
  const wrong = s3Problem(pathOf(file));
  if (wrong) throw new NotFetched(`${pathOf(file)}: ${wrong.message}`, wrong.remedy);
  const address = s3Parts(pathOf(file));
  const { bucket, key } = address;
  const target = (of: string, query?: Record<string, string>): Target => {
    const url = urlOf(storage, bucket, of, query);
    return { url, place: `s3://${bucket}/${query ? key : of}`, headers: () => signed(url, storage, secret) };
  };
  const refusal = s3Refusal(storage);
  // Whoever writes a host into the configuration means it.
  const allow = storage.endpoint === undefined ? options.allow : [...options.allow, urlOf(storage, bucket).host];
  const own = { ...options, allow, refusal };
  const fetchObject = (of: string, name: (packed: string) => string, more: Partial<FetchOptions>, version?: { etag: string }) =>
    fetchFile({ ...target(of), id: `${storage.name} ${fileName(file)} ${of}`, name, refusal, version }, { ...own, ...more });
  const named = (packed: string): string => localName(file, key, packed);
  if (!isGlob(key)) return fetchObject(key, named, {});
  const objects = await listObjects(address, (query) => target('', query), own);
  if (objects.length === 1 && objects[0]!.key === key) return fetchObject(key, named, {}, { etag: objects[0]!.etag });
  const fetched = await fetchAll(objects, key, options, fetchObject);
  const files = fetched.map((each) => ({ ...each, name: withEnding(file, each.name, each.packed) }));
  checkNames(files.map(({ name }) => name));
  return landSet(options.folder, files);
}

type FetchObject = (
  key: string,
  name: (packed: string) => string,
  more: Partial<FetchOptions>,
  version: { etag: string },
) => Promise<FetchedFile>;

async function fetchAll(
  objects: readonly S3Object[],
  pattern: string,
  { mostBytes, signal, progress }: FetchOptions,
  fetchObject: FetchObject,
): Promise<(FetchedFile & { name: string })[]> {
  const total = objects.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > mostBytes)
    throw new NotFetched(
      `${pattern}: ${objects.length} objects of ${sized(total)} are larger than ${sized(mostBytes)} together`,
      "where they may be, say so in portolan.config.mts: sources: { most: '50GB' }",
    );
  const folder = fixedPart(pattern).replace(/[^/]*$/, '');
  const done = new Map<string, number>();
  const stop = new AbortController();
  const limit = pLimit(atATime);
  const fetches = objects.map(({ key, etag }) =>
    limit(async () => {
      signal.throwIfAborted();
      stop.signal.throwIfAborted();
      const seen = (bytes: number): void => {
        done.set(key, bytes);
        progress?.(
          [...done.values()].reduce((sum, each) => sum + each, 0),
          total,
        );
      };
      const more = { signal: AbortSignal.any([signal, stop.signal]), progress: seen };
      return { ...(await fetchObject(key, (packed) => localName(key, key, packed), more, { etag })), name: key.slice(folder.length) };
    }).catch((error: unknown) => {
      stop.abort(error);
      throw error;
    }),
  );
  // None is under way any more when the first failure is reported.
  await Promise.allSettled(fetches);
  stop.signal.throwIfAborted();
  return Promise.all(fetches);
}
