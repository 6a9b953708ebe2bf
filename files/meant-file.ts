import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, relative } from 'node:path';
import { nearest } from '../text/nearest.ts';

/** What stands at a path: neither where nothing does. */
export const kindOfPath = (path: string): Promise<'file' | 'folder' | undefined> =>
  stat(path).then(
    (facts) => (facts.isDirectory() ? 'folder' : 'file'),
    () => undefined,
  );

/** The deepest folder above a path that is there, and the first part below it that is not. */
export async function missingPart(path: string): Promise<{ folder: string; part: string }> {
  let folder = dirname(path);
  let part = basename(path);
  while (folder !== parse(folder).root && (await kindOfPath(folder)) !== 'folder') {
    part = basename(folder);
    folder = dirname(folder);
  }
  return { folder, part };
}

/** The name that was most likely meant: the same with another ending, else one that is spelt alike, with the same ending first. */
function meantName(name: string, known: readonly string[]): string | undefined {
  const { name: stem, ext } = parse(name);
  const all = known.map((each) => parse(each));
  const alike = (of: typeof all): string | undefined => {
    const stems = of.map((each) => each.name);
    // The ending that all have makes no two names alike.
    const near = nearest(stem, stems);
    return of.find((each) => each.name === near)?.base;
  };
  const same = all.find((each) => each.name === stem && each.base !== name)?.base;
  return same ?? alike(all.filter((each) => each.ext === ext)) ?? alike(all.filter((each) => each.ext !== ext));
}

/** The same file in a folder beside its own whose name is spelt alike. */
async function inFolderAlike(folder: string, file: string): Promise<string | undefined> {
  const [above, own] = [dirname(folder), basename(folder)];
  const beside = (await readdir(above, { withFileTypes: true }).catch(() => [])).filter((each) => !each.isFile() && each.name !== own);
  const holding: string[] = [];
  for (const { name } of beside) if ((await kindOfPath(join(above, name, file))) === 'file') holding.push(name);
  const name = meantName(own, holding);
  return name === undefined ? undefined : join(above, name, file);
}

/**
 * The file that was most likely meant by a path where none is. What is misspelt may be a folder of it, also where there is a folder of that
 * name. `suits`: whether a file of this name may be meant.
 */
export async function meantFile(path: string, suits: (name: string) => boolean = () => true): Promise<string | undefined> {
  const { folder, part } = await missingPart(path);
  if (folder !== dirname(path)) return inFolderAlike(join(folder, part), relative(join(folder, part), path));
  const name = meantName(part, (await readdir(folder).catch(() => [])).filter(suits));
  const meant = name === undefined ? undefined : join(folder, name);
  return meant !== undefined && (await kindOfPath(meant)) === 'file' ? meant : inFolderAlike(folder, part);
}
