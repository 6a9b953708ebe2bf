import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

type SystemError = NodeJS.ErrnoException;

/**
 * Makes a folder with those above it; one that is there stays. Fails with the system's own error: of a disk that can only be read
 * Node's recursive `mkdir` says that the folder above does not exist.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as SystemError;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    // Another process may have made it meanwhile.
    await mkdir(path).catch((again: SystemError) => {
      if (again.code !== 'EEXIST') throw again;
    });
  }
}

/** The same for those who cannot wait, for a folder within another: that one, and those above it, are never made. */
export function makeFolderIn(outer: string, path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as SystemError;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === outer || dirname(path) === path) throw error;
    makeFolderIn(outer, dirname(path));
    mkdirSync(path);
  }
}
