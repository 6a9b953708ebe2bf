import { readFile } from 'node:fs/promises';
import { DamagedFile } from '../errors/classes.ts';

/** `is`: whether it is what was written there; `without`: what to do where it is not, and no copy of the file is left. */
export type Kept<T> = { is?: (found: Partial<T> | null) => boolean; without?: string };

/** What a JSON file of the run store says; undefined where it is not there. Fails with `DamagedFile`, which names it. */
export async function readJsonFile<T>(path: string, kept?: Kept<T>): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : jsonIn(text, path, kept);
}

/** The same by the text of the file. */
export function jsonIn<T>(text: string, path: string, { is, without }: Kept<T> = {}): T {
  let found: T | null;
  try {
    found = JSON.parse(text) as T | null;
  } catch (error) {
    throw new DamagedFile(path, (error as SyntaxError).message, without);
  }
  if (is && !is(found)) throw new DamagedFile(path, 'it is not what was written there', without);
  return found as T;
}
