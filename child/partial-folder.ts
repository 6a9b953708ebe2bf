import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';

/** Where a result folder is written until it is whole. */
export const partialFolder = (into: string): string => join(dirname(into), `.${basename(into)}.partial`);

/** Fills a folder that appears under its name whole or not at all. */
export async function writeFolder<T>(into: string, fill: (folder: string) => Promise<T>): Promise<T> {
  const folder = partialFolder(into);
  await rm(folder, { recursive: true, force: true });
  await makeFolder(folder);
  const result = await fill(folder);
  await rm(into, { recursive: true, force: true });
  await rename(folder, into);
  return result;
}
