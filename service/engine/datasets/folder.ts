import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stateFolder } from '../../../config/user-folders.ts';

/**
 * Makes the folder of the datasets, and returns its path as the engine takes it. Where a path has a question mark, DuckDB looks for
 * its log at another place than it keeps it: there the datasets lie in the user's state folder, and a link leads to them.
 */
export function makeDatasetsFolder(folder: string): string {
  const path = resolve(folder);
  if (!path.includes('?')) {
    mkdirSync(path, { recursive: true });
    return folder;
  }
  if (!lstatSync(path, { throwIfNoEntry: false })) {
    const state = stateFolder();
    if (state === undefined)
      throw new Error(`${path}: a folder with a question mark in its name needs one of the user's own beside it: set XDG_STATE_HOME`);
    const place = join(state, 'datasets', randomUUID());
    mkdirSync(place, { recursive: true, mode: 0o700 });
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(place, path);
  }
  return realpathSync(path);
}
