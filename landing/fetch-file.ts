import { mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeWhole } from '../files/whole-file.ts';
import { Interrupted, type Refusal } from './ask.ts';
import { download, type Fetched, type Packed } from './download.ts';
import { hash } from './hash.ts';
import { linkOrCopy, touch } from './link-or-copy.ts';
import { removePart } from './part-file.ts';
import type { Door, Target } from '../reach/request.ts';
import { isSame, type Version } from './version.ts';

/**
 * A file that was fetched, where it is on this host. `again`: it had been fetched before, and is what it was; `packed`: the ending of the
 * packing that its server has put around it.
 */
export type FetchedFile = { path: string; bytes: number; sha256: string; again: boolean; packed: Packed };

export type Wanted = Target & {
  /** Under which it is known what is here already: the address with all that is said of it. */
  id: string;
  /** The name of the file, by the packing that its server has put around it. */
  name: (packed: Packed) => string;
  refusal: Refusal;
  /** The version that is meant, where it is known before. */
  version?: Version | undefined;
};

export type FetchOptions = Door & {
  /** Folder of all that is fetched. */
  folder: string;
  mostBytes: number;
  pausesMs?: readonly number[] | undefined;
  signal: AbortSignal;
  progress?: ((done: number, total: number | undefined) => void) | undefined;
};

type Known = { version: Version; sha256: string; bytes: number; name: string; packed: Packed };

/**
 * Fetches one file whole, by the hash of its bytes. What is there already is asked about, unless its version is known to be the one that
 * is meant, and fetched again only where it has changed. Fails as `download` does.
 */
export async function fetchFile(wanted: Wanted, { folder, ...options }: FetchOptions): Promise<FetchedFile> {
  const object = (sha256: string, name: string): string => join(folder, 'objects', sha256, name);
  const note = join(folder, 'known', `${hash(wanted.id)}.json`);
  const known = await readKnown(note);
  const kept = known && object(known.sha256, known.name);
  const there = kept !== undefined && (await isWhole(kept, known!.bytes));
  // It is kept for as long as what it is about.
  if (there) await touch(note);
  const { version: meant, refusal } = wanted;
  const fetched =
    there && meant && isSame(known!.version, meant)
      ? undefined
      : await download(wanted, {
          ...options,
          into: join(folder, 'parts'),
          known: there ? known!.version : undefined,
          meant,
          refusal,
        });
  if (!fetched) return { path: kept!, bytes: known!.bytes, sha256: known!.sha256, again: true, packed: known!.packed };
  const { sha256, bytes, version, packed } = fetched;
  const name = wanted.name(packed);
  const path = object(sha256, name);
  await settle(fetched, path);
  await writeWhole(note, JSON.stringify({ version, sha256, bytes, name, packed } satisfies Known));
  return { path, bytes, sha256, packed, again: there && known!.sha256 === sha256 && isSame(known!.version, version) };
}

const readKnown = async (note: string): Promise<Known | undefined> =>
  readFile(note, 'utf8').then(
    (text) => JSON.parse(text) as Known,
    () => undefined,
  );

/** Notes that a file of so many bytes was asked for now; false where it is not there whole: a power cut may have taken bytes of it. */
const isWhole = async (path: string, bytes: number): Promise<boolean> =>
  (await touch(path)) && (await stat(path).catch(() => undefined))?.size === bytes;

/** Moves what was fetched to its place; of two who fetched the same, the first has done it. Returns whether it was there before. */
export async function settle({ part, bytes }: Pick<Fetched, 'part' | 'bytes'>, path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  const there = await isWhole(path, bytes);
  if (!there)
    await rename(part, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      await takeFromOther({ part, bytes }, path);
    });
  await removePart(part);
  return there;
}

/** Who fetched the same into the same part has moved it to the folder of its hash, maybe under another name. */
async function takeFromOther({ part, bytes }: Pick<Fetched, 'part' | 'bytes'>, path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    const other = join(folder, name);
    if (!(await isWhole(other, bytes))) continue;
    if (other !== path) await linkOrCopy(other, path, dirname(part));
    return;
  }
  throw new Interrupted(`${path}: what was fetched was removed before it was there`);
}
