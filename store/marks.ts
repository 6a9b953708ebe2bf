import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedFile } from '../errors/classes.ts';
import { namesIn } from './names-in.ts';
import { sharedFolder } from './shared-folder.ts';
import { writeOnce, writeWhole } from '../files/whole-file.ts';
import type { Mark } from '../text/mark.ts';

/**
 * What a mark belongs to: a step of a pipeline, the dataset that it fills, and the source that it reads, for how far one source was read
 * says nothing of another. In a loop the step is named by items (`each[north].rows`), of those with fields by a hash. `source` is empty for the list
 * of a mirror: what it has put there stays its own when the source moves; where items have fields (`each[].rows`) it is of a source too.
 */
export type MarkOwner = { pipeline: string; step: string; connection: string; dataset: string; source: string };

/** The folder to which the paths of sources are relative: the project's, where the run store is in its usual place. */
export const projectOf = (root: string): string => join(root, '..', '..');

/** One setting of a mark. `version` counts from 1. */
export type MarkVersion = MarkOwner & {
  version: number;
  /** The mark before it; null: there was none, and everything is read. */
  from: Mark | null;
  to: Mark | null;
  /** ISO 8601. */
  at: string;
  /** The run that has read so far, and whose rows are acknowledged; absent where a person set the mark. */
  run?: string;
  /** The person who set it. */
  by?: string;
  /** Rows that the run took. */
  rows?: number;
  /** Runs that had been taken back, and whose rows the run has read again. */
  again?: string[];
  /** File beside it: keys of what was taken beyond the mark less its overlap, one a line; kept for the last two versions. */
  seen?: string;
};

/** A version to be. `seen`: the lines of its list. */
export type NextMark = Omit<MarkVersion, 'version' | 'at' | 'seen'> & { seen?: Uint8Array | undefined };

export type Marks = {
  /** The newest version; undefined before the first. */
  newest(owner: MarkOwner): Promise<MarkVersion | undefined>;
  /** All versions, the oldest first. */
  history(owner: MarkOwner): Promise<MarkVersion[]>;
  /** Everything that has a mark in this store. Fails with `DamagedFile`, as all that reads does. */
  owners(): Promise<MarkOwner[]>;
  /** What all marks were set to, the newest of each alone or all of them in their order, as far as it can be read; and what cannot. */
  settings(of: { history: boolean }): Promise<{ read: MarkVersion[]; damaged: DamagedFile[] }>;
  /** Path of the list of a version. */
  seenFile(version: MarkVersion): string | undefined;
  /** Has another run than this one, or a person, set the mark since this version? */
  moved(owner: MarkOwner, version: number, run: string): Promise<boolean>;
  /** Sets the version after `expected` (0: the first). Returns undefined, and sets nothing, where another one was set meanwhile. */
  set(expected: number, next: NextMark): Promise<MarkVersion | undefined>;
};

const words = (text: string): string => text.replace(/[^\w.-]+/g, '-').slice(0, 60);

/** Folder of a mark: readable, and another one for each owner. */
const folderOf = ({ pipeline, step, connection, dataset, source }: MarkOwner): string => {
  const hash = createHash('sha256').update(JSON.stringify([pipeline, step, connection, dataset, source]));
  return `${words(pipeline)}~${words(step)}~${hash.digest('hex').slice(0, 12)}`;
};

/** Of names in the folder of marks those that are marks: a file manager may leave a file of its own there. */
const isFolder = (name: string): boolean => /~[0-9a-f]{12}$/.test(name);

const padded = (version: number): string => String(version).padStart(8, '0');
const fileOf = (version: number): string => `${padded(version)}.json`;

/**
 * The marks of a run store, below the folder of all runs. A version is a file that only one process can make: of two runs which began
 * at the same mark one alone sets the next. `compare: false` is for proofs that show what happens without.
 */
export function createMarks(root: string, { compare = true } = {}): Marks {
  const above = sharedFolder(root, 'marks');
  const placeOf = (owner: MarkOwner): string => join(above, folderOf(owner));
  const versionsIn = async (folder: string): Promise<number[]> =>
    (await namesIn(folder))
      .filter((name) => /^\d{8}\.json$/.test(name))
      .map((name) => Number.parseInt(name, 10))
      .sort((a, b) => a - b);
  const read = async (folder: string, version: number): Promise<MarkVersion> => {
    const file = join(folder, fileOf(version));
    return settingIn(await readFile(file, 'utf8'), version, file);
  };
  const folders = async (): Promise<string[]> =>
    (await namesIn(above))
      .filter(isFolder)
      .sort()
      .map((name) => join(above, name));
  const newestIn = async (folder: string): Promise<MarkVersion | undefined> => {
    const last = (await versionsIn(folder)).at(-1);
    return last === undefined ? undefined : read(folder, last);
  };

  return {
    newest: (owner) => newestIn(placeOf(owner)),
    async history(owner) {
      const folder = placeOf(owner);
      return Promise.all((await versionsIn(folder)).map((version) => read(folder, version)));
    },
    async owners() {
      const newest = await Promise.all((await folders()).map(newestIn));
      return newest.flatMap((each) => (each ? [ownerOf(each)] : []));
    },
    async settings({ history }) {
      const found: Awaited<ReturnType<Marks['settings']>> = { read: [], damaged: [] };
      for (const folder of await folders())
        for (const version of (await versionsIn(folder)).slice(history ? 0 : -1))
          try {
            found.read.push(await read(folder, version));
          } catch (error) {
            if (!(error instanceof DamagedFile)) throw error;
            found.damaged.push(error);
          }
      return found;
    },
    async moved(owner, version, run) {
      const newest = await newestIn(placeOf(owner));
      return compare && (newest?.version ?? 0) !== version && newest?.run !== run;
    },
    seenFile: (version) => (version.seen === undefined ? undefined : join(placeOf(version), version.seen)),
    async set(expected, { seen, ...next }) {
      const folder = placeOf(next);
      const version = (compare ? expected : ((await versionsIn(folder)).at(-1) ?? 0)) + 1;
      const list = seen && `${padded(version)}-${randomUUID()}.seen`;
      // The list is there before the version that names it.
      if (list !== undefined) await writeWhole(join(folder, list), seen!);
      const set: MarkVersion = { version, ...next, at: new Date().toISOString(), ...(list === undefined ? {} : { seen: list }) };
      const first = await writeOnce(join(folder, fileOf(version)), `${JSON.stringify(set)}\n`);
      await syncFolder(folder);
      if (first) await removeLists(folder, version - 2);
      return first ? set : undefined;
    },
  };
}

/** The setting in the text of its file. */
function settingIn(text: string, version: number, file: string): MarkVersion {
  const damaged = (why: string): DamagedFile =>
    new DamagedFile(file, why, 'take it away: the setting before it counts then, and what was read since is read again');
  let found: MarkVersion | null;
  try {
    found = JSON.parse(text) as MarkVersion | null;
  } catch (error) {
    throw damaged((error as SyntaxError).message);
  }
  if (found?.version !== version) throw damaged(`it is not setting ${version} of a mark`);
  return found;
}

/** What a setting is of. */
export const ownerOf = ({ pipeline, step, connection, dataset, source }: MarkOwner): MarkOwner => ({
  pipeline,
  step,
  connection,
  dataset,
  source,
});

/** A power cut must not take the name of a file whose bytes are on the disk. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

/** Removes the lists of versions up to one. */
async function removeLists(folder: string, last: number): Promise<void> {
  const old = (await namesIn(folder)).filter((name) => name.endsWith('.seen') && Number.parseInt(name, 10) <= last);
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
}
