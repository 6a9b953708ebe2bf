import { constants } from 'node:fs';
import { copyFile, link, mkdir, readFile, rename, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeWhole } from '../files/whole-file.ts';
import { fileName as nameOf, pathOf } from '../pipelines/source-name.ts';
import type { HeaderValue, RemoteFile } from '../pipelines/source-spec.ts';
import { download, type Fetched } from './download.ts';
import { hash } from './hash.ts';
import { localName } from './local-name.ts';
import { webRefusal } from './refusal.ts';
import { removePart } from './part-file.ts';
import type { Door } from './request.ts';
import { isSame, type Version } from './version.ts';

/** A file that was fetched, where it is on this host. `again`: it had been fetched before, and is what it was. */
export type Landed = { path: string; bytes: number; sha256: string; again: boolean };

export type LandingOptions = Door & {
  /** Folder above all runs. */
  root: string;
  mostBytes: number;
  /** The value of a secret by its name in the configuration. */
  secret: (name: string) => Promise<string>;
  pausesMs?: readonly number[];
};

export type LandOptions = { signal: AbortSignal; progress?: (done: number, total: number | undefined) => void };

export type Landing = (file: RemoteFile, options: LandOptions) => Promise<Landed>;

/** Folder of the run store for what was fetched; no run has such a name. */
export const landingFolder = '.landing';

type Known = { version: Version; sha256: string; bytes: number; name: string };

/**
 * Fetches files into the run store, each whole and by the hash of its bytes. What is there already is asked about, and fetched again only
 * where it has changed. Fails as `download` does.
 */
export function createLanding({ root, mostBytes, secret, pausesMs, ...door }: LandingOptions): Landing {
  const folder = join(root, landingFolder);
  const object = (sha256: string, name: string): string => join(folder, 'objects', sha256, name);
  return async (file, { signal, progress }) => {
    const url = new URL(pathOf(file));
    const headers = typeof file === 'string' ? {} : (file.headers ?? {});
    const note = join(folder, 'known', `${hash(nameOf(file))}.json`);
    const known = await readKnown(note);
    const kept = known && object(known.sha256, known.name);
    const there = kept !== undefined && (await touch(kept));
    const fetched = await download(
      { url, headers: () => headersOf(headers, secret) },
      {
        ...door,
        into: join(folder, 'parts'),
        mostBytes,
        known: there ? known!.version : undefined,
        refusal: webRefusal,
        signal,
        progress,
        ...(pausesMs && { pausesMs }),
      },
    );
    if (!fetched) return { path: kept!, bytes: known!.bytes, sha256: known!.sha256, again: true };
    const name = localName(file, fetched.packed);
    const path = object(fetched.sha256, name);
    await settle(fetched, path);
    await writeWhole(
      note,
      JSON.stringify({ version: fetched.version, sha256: fetched.sha256, bytes: fetched.bytes, name } satisfies Known),
    );
    const again = there && known!.sha256 === fetched.sha256 && isSame(known!.version, fetched.version);
    return { path, bytes: fetched.bytes, sha256: fetched.sha256, again };
  };
}

/** Keeps a landed file for a run, whatever becomes of the others. Returns its place in the run's folder. */
export async function keepFor(folder: string, { path, sha256 }: Landed): Promise<string> {
  const kept = join('sources', sha256, basename(path));
  await mkdir(join(folder, dirname(kept)), { recursive: true });
  await link(path, join(folder, kept)).catch(async (error: NodeJS.ErrnoException) => {
    // A file system without links.
    if (error.code !== 'EEXIST') await copyFile(path, join(folder, kept), constants.COPYFILE_FICLONE);
  });
  return kept;
}

async function headersOf(headers: { [name: string]: HeaderValue }, secret: LandingOptions['secret']): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    made[name.toLowerCase()] = typeof value === 'string' ? value : [value.scheme, await secret(value.secret)].filter(Boolean).join(' ');
  return made;
}

const readKnown = async (note: string): Promise<Known | undefined> =>
  readFile(note, 'utf8').then(
    (text) => JSON.parse(text) as Known,
    () => undefined,
  );

/** Notes that a file was asked for now; false where it is not there. */
const touch = (path: string): Promise<boolean> =>
  utimes(path, new Date(), new Date()).then(
    () => true,
    () => false,
  );

/** Moves what was fetched to its place; of two who fetched the same, the first has done it. */
async function settle({ part }: Fetched, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (!(await touch(path)))
    await rename(part, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' || !(await touch(path))) throw error;
    });
  await removePart(part);
}
