import type { Stats } from 'node:fs';
import { glob, opendir, stat } from 'node:fs/promises';
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

/** Codes of a place where there is nothing: of a folder that is none, or has gone, and of a link that leads nowhere. */
const nothingThere = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** What was asked of a place; undefined where nothing is there. Any other failure says nothing of what is there. */
async function unlessNothing<T>(pattern: string, place: string, asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (nothingThere.includes(code)) return undefined;
    throw new BadInput(
      'bad_input',
      `${pattern}: ${place} cannot be read (${code}), and files may be missing; let it be read, or narrow the pattern`,
    );
  }
}

/**
 * Fails where a folder that a pattern goes through cannot be read: the pattern finds nothing below it and does not say so, and a mirror
 * would delete what it has of the files there.
 */
async function checkFolders(pattern: string, folder: string, rest: string): Promise<void> {
  const check = async (place: string): Promise<void> => {
    await using opened = await unlessNothing(pattern, place, opendir(place));
    if (opened) await unlessNothing(pattern, place, opened.read());
  };
  await check(folder);
  const parts = rest.split('/');
  for (let at = 1; at < parts.length; at += 1)
    for await (const entry of glob(parts.slice(0, at).join('/'), { cwd: folder, withFileTypes: true }))
      if (!entry.isFile()) await check(join(entry.parentPath, entry.name));
}

const byName = (a: SourceFile, b: SourceFile): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/**
 * The files of a path or a glob, sorted by name. A file whose name is exactly the text wins over the pattern.
 * Fails with `BadInput` where a glob matches no regular file, or more than 10,000, or cannot be followed everywhere.
 */
export async function expandPath(path: string): Promise<SourceFile[]> {
  if (!isGlob(path) || (await isFile(path))) return [{ path, name: basename(path) }];
  const { folder, rest } = await folderOf(path);
  const files: SourceFile[] = [];
  for await (const name of glob(rest, { cwd: folder })) {
    const place = join(folder, name);
    if (!(await unlessNothing(path, place, stat(place)))?.isFile()) continue;
    files.push({ path: place, name });
    if (files.length > mostFiles)
      throw new BadInput('bad_input', `${path}: matches more than ${mostFiles.toLocaleString('en-US')} files; narrow the pattern`);
  }
  await checkFolders(path, folder, rest);
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
