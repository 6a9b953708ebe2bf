import { validateHeaderValue } from 'node:http';
import { join } from 'node:path';
import { NotFetched } from '../errors/classes.ts';
import { isS3 } from '../pipelines/s3-address.ts';
import { sendsOpenly } from '../pipelines/source-address.ts';
import { fileName, pathOf } from '../pipelines/source-name.ts';
import type { HeaderValue, RemoteFile } from '../pipelines/source-spec.ts';
import { fetchFile, type FetchOptions } from './fetch-file.ts';
import type { Landed } from './file-set.ts';
import { localName } from './local-name.ts';
import { webRefusal } from './refusal.ts';
import { named, type Door } from '../reach/request.ts';
import type { Databases } from './postgres/database.ts';
import type { Storages } from './s3/storage.ts';

export type LandingOptions = Door & {
  /** Folder above all runs. */
  root: string;
  mostBytes: number;
  /** The value of a secret by its name in the configuration. */
  secret: (name: string) => Promise<string>;
  storages?: Storages;
  databases?: Databases;
  pausesMs?: readonly number[];
};

export type LandOptions = { signal: AbortSignal; progress?: (done: number, total: number | undefined) => void };

export type Landing = (file: RemoteFile, options: LandOptions) => Promise<Landed>;

/** Folder of the run store for what was fetched; no run has such a name. */
export const landingFolder = '.landing';

/**
 * Fetches files into the run store, each whole and by the hash of its bytes. What is there already is asked about, and fetched again only
 * where it has changed. Fails as `download` does.
 */
export function createLanding({ root, secret, storages = {}, databases = {}, ...options }: LandingOptions): Landing {
  const folder = join(root, landingFolder);
  return async (file, more) => {
    const own = { ...options, ...more, folder };
    // Most projects have no such sources, and their libraries take 50 ms and more to load.
    if (typeof file === 'object' && 'postgres' in file) {
      const { landQuery } = await import('./postgres/land.ts');
      return landQuery(file, { ...own, secret, databases });
    }
    if (isS3(pathOf(file))) {
      const { landObjects } = await import('./s3/land.ts');
      return landObjects(file, { ...own, secret, storages });
    }
    return landWebFile(file, { ...own, secret });
  };
}

async function landWebFile(file: RemoteFile, { secret, ...options }: FetchOptions & Pick<LandingOptions, 'secret'>): Promise<Landed> {
  const url = new URL(pathOf(file));
  const headers = typeof file === 'object' && 'http' in file ? (file.headers ?? {}) : {};
  // What a file gives by an expression has been seen by nobody.
  if (sendsOpenly({ http: url.href, headers }))
    throw new NotFetched(`${named(url)}: over plain http everyone on the way reads the secret of its headers`, 'name an https:// address');
  return fetchFile(
    {
      url,
      place: named(url),
      headers: () => headersOf(headers, secret, named(url)),
      id: fileName(file),
      name: (packed) => localName(file, url.pathname, packed),
      refusal: webRefusal,
    },
    options,
  );
}

async function headersOf(
  headers: { [name: string]: HeaderValue },
  secret: LandingOptions['secret'],
  place: string,
): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    made[name.toLowerCase()] = typeof value === 'string' ? value : [value.scheme, await secret(value.secret)].filter(Boolean).join(' ');
    if (typeof value !== 'string' && !canSend(name, made[name.toLowerCase()]!))
      throw new NotFetched(
        `${place}: the header ${name} cannot be sent: its secret '${value.secret}' holds a character that HTTP does not carry`,
        'see where the secret comes from: a quote or blank may have been added as it was copied',
      );
  }
  return made;
}

/** What Node throws may quote the header. */
function canSend(name: string, value: string): boolean {
  try {
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
