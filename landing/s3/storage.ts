import type { Config } from '../../config/load.ts';
import { NotFetched } from '../../errors/classes.ts';
import type { FileSpec } from '../../pipelines/source-spec.ts';
import { didYouMean } from '../../text/nearest.ts';

/** Storages by their names in the configuration. */
export type Storages = Config['sources']['s3'];

export type Storage = Storages[string] & { name: string };

/** The storage that has an object: the one that is named, or the only one. Fails with `NotFetched`. */
export function storageOf(file: FileSpec, storages: Storages): Storage {
  const names = Object.keys(storages);
  const named = typeof file === 'object' && 's3' in file ? file.storage : undefined;
  const name = named ?? (names.length === 1 ? names[0]! : undefined);
  const found = name !== undefined && Object.hasOwn(storages, name) ? storages[name] : undefined;
  if (found) return { ...found, name: name! };
  if (named !== undefined)
    throw new NotFetched(
      `the storage '${named}' is not under sources.s3 in portolan.config.mts${didYouMean(named, names)}`,
      `say where it is: sources: { s3: { ${named}: { region: 'eu-central-1', secrets: { keyId: NAME, key: NAME } } } }`,
    );
  throw names.length === 0
    ? new NotFetched(
        'no S3 storage is configured',
        "name one in portolan.config.mts: sources: { s3: { acme: { region: 'eu-central-1', secrets: { keyId: NAME, key: NAME } } } }",
      )
    : new NotFetched(
        `which of the storages ${names.join(', ')} has it is not said`,
        `name it: { s3: 's3://bucket/key', storage: ${names[0]} }`,
      );
}

/** As a URI has it (RFC 3986): what is not unreserved is escaped. */
export const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** The URL of a bucket, or of an object in it. */
export function urlOf(
  { endpoint, pathStyle, region }: Storage,
  bucket: string,
  key = '',
  query: Readonly<Record<string, string>> = {},
): URL {
  const base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  // A certificate for all buckets of a host is for none whose name has a dot.
  const inPath = pathStyle ?? (endpoint !== undefined || bucket.includes('.'));
  const origin = inPath ? base.origin : `${base.protocol}//${bucket}.${base.host}`;
  const path = [...(inPath ? [bucket] : []), ...key.split('/')].map(escaped).join('/');
  const search = Object.entries(query).map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
  return new URL(`${origin}/${path}${search.length > 0 ? `?${search.join('&')}` : ''}`);
}
