import { fileFacts } from '../files/file-facts.ts';
import { expandPath } from './source-files.ts';

/** The sha256 of files that were seen, by name. */
export type SeenFiles = Map<string, string>;

/** Reads a list of seen files: lines of a sha256 and a name. */
export const parseSeen = (text: string): SeenFiles =>
  new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(65), line.slice(0, 64)]),
  );

export const formatSeen = (seen: SeenFiles): string => [...seen].map(([name, sha256]) => `${sha256} ${name}\n`).join('');

/** What is new of a source's files: how many it has, and the names of those that are to be read. */
export type NewFiles = { of: number; files: string[] };

/** How many files a path or glob has, and the names of those that were not seen; with `changed` also of those whose bytes are others now. */
export async function newFiles(path: string, seen: SeenFiles, which: 'new' | 'changed'): Promise<NewFiles> {
  const there = await expandPath(path);
  const files: string[] = [];
  for (const file of there)
    if (!seen.has(file.name) || (which === 'changed' && (await fileFacts(file.path)).sha256 !== seen.get(file.name))) files.push(file.name);
  return { of: there.length, files };
}
