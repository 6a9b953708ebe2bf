import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { FetchedFile } from './fetch-file.ts';
import { linkOrCopy } from './link-or-copy.ts';

/** What was fetched, where it is on this host. `again`: it had been fetched before, and is what it was. */
export type Landed = Omit<FetchedFile, 'packed'> & {
  /** Of several files, of which `path` is a pattern: their names below its folder. */
  names?: readonly string[];
};

/** The pattern of all files of a folder, whatever they are called. */
const allBelow = '**/*';

/** The folder in which files of several names are. */
const folderOf = ({ path, names }: Landed): string => (names ? path.slice(0, -allBelow.length - 1) : dirname(path));

/** Puts fetched files together in a folder below `root`, under names of theirs, no two of which are the same. */
export async function landSet(root: string, files: readonly (FetchedFile & { name: string })[]): Promise<Landed> {
  const hash = createHash('sha256');
  for (const { name, sha256 } of files) hash.update(`${JSON.stringify(name)} ${sha256}\n`);
  const sha256 = hash.digest('hex');
  const folder = join(root, 'sets', sha256);
  for (const { name, path } of files) await linkOrCopy(path, join(folder, name), join(root, 'sets'));
  return {
    path: join(folder, allBelow),
    names: files.map(({ name }) => name),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    sha256,
    again: files.every(({ again }) => again),
  };
}

/** Keeps what was landed for a run, whatever becomes of the rest. Returns its path, or pattern, below the run's folder. */
export async function keepFor(folder: string, landed: Landed): Promise<string> {
  const { path, sha256, names = [basename(path)] } = landed;
  const kept = join('sources', sha256);
  for (const name of names) await linkOrCopy(join(folderOf(landed), name), join(folder, kept, name), join(folder, 'sources'));
  return join(kept, landed.names ? allBelow : basename(path));
}
