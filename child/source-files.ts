import type { Stats } from 'node:fs';
import { glob, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { isQuery, pathOf, tablesOf } from '../pipelines/source-name.ts';
import type { SourceSpec } from '../pipelines/source-spec.ts';
import { BadInput } from '../errors/classes.ts';
import { isGlob } from '../text/glob.ts';

/** One file of a source: where it is, and its name below the folder in which the pattern begins. */
export type SourceFile = { path: string; name: string };

/** Most files of one glob. */
const mostFiles = 10_000;

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );

/** The folder in which a pattern begins, and the rest: a folder that exists is taken as it is written, whatever its name holds. */
async function folderOf(pattern: string): Promise<{ folder: string; rest: string }> {
  const parts = resolve(pattern).split(sep);
  let at = 1;
  for (; at < parts.length - 1; at += 1) {
    const there = await stat(parts.slice(0, at + 1).join(sep)).then(
      (facts) => facts.isDirectory(),
      () => false,
    );
    if (!there) break;
  }
  return { folder: parts.slice(0, at).join(sep) || sep, rest: parts.slice(at).join('/') };
}

const byName = (a: SourceFile, b: SourceFile): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/**
 * The files of a path or a glob, sorted by name. A file whose name is exactly the text wins over the pattern.
 * Fails with `BadInput` where a glob matches no regular file, or more than 10,000.
 */
export async function expandPath(path: string): Promise<SourceFile[]> {
  if (!isGlob(path) || (await isFile(path))) return [{ path, name: basename(path) }];
  const { folder, rest } = await folderOf(path);
  const files: SourceFile[] = [];
  for await (const name of glob(rest, { cwd: folder })) {
    if (!(await isFile(join(folder, name)))) continue;
    files.push({ path: join(folder, name), name });
    if (files.length > mostFiles)
      throw new BadInput('bad_input', `${path}: matches more than ${mostFiles.toLocaleString('en-US')} files; narrow the pattern`);
  }
  if (files.length === 0) throw new BadInput('bad_input', `${path}: no file matches`);
  return files.sort(byName);
}

/** Paths and globs that a source reads. */
export const pathsOf = (source: SourceSpec): string[] => tablesOf(source).map(([, file]) => pathOf(file));

/** The short name of a source in messages. */
export const subjectOf = (source: SourceSpec): string => (isQuery(source) ? 'sql' : basename(pathOf(source)));

/** Opening a file takes as long as reading so many bytes. */
const openingBytes = 128 * 1024;

/** What the system knows of the files behind each path and glob of a source; undefined of a file that is not there. */
const statsOf = (source: SourceSpec): Promise<(Stats | undefined)[][]> =>
  Promise.all(
    pathsOf(source).map(async (path) => {
      const files = await expandPath(path).catch(() => []);
      return Promise.all(files.map((file) => stat(file.path).catch(() => undefined)));
    }),
  );

/** What all files of a source cost to read, in bytes: a small one counts for its opening, one that is not there for nothing. */
export const sourceBytes = async (source: SourceSpec): Promise<number> =>
  (await statsOf(source)).flat().reduce((sum, facts) => sum + (facts ? Math.max(facts.size, openingBytes) : 0), 0);

/** True where every path and glob of a source has a file on this host; what is fetched is nowhere before. */
export const isHere = async (source: SourceSpec): Promise<boolean> =>
  (await Promise.all(pathsOf(source).map(async (path) => isFile((await expandPath(path).catch(() => []))[0]?.path ?? '')))).every(Boolean);

/** When the newest file of a source was written, in milliseconds since the epoch; infinite where one is not there. */
export const lastChanged = async (source: SourceSpec): Promise<number> =>
  Math.max(
    ...(await statsOf(source)).flatMap((each) => (each.length === 0 ? [Infinity] : each.map((facts) => facts?.mtimeMs ?? Infinity))),
  );
