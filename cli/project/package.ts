import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '../frame/version.ts';
import { existsSync } from 'node:fs';

/** Whether code of a folder finds this package, as its configuration and `npx` must. */
const installedFor = (folder: string): boolean => {
  try {
    createRequire(join(folder, 'portolan.config.mts')).resolve('portolan/package.json');
    return true;
  } catch {
    return false;
  }
};

/** Folder of the package that runs. */
const root = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
};

/** The command that installs this package in a folder; undefined where it is installed. */
export const installHere = async (folder: string): Promise<string | undefined> => {
  if (installedFor(folder)) return undefined;
  const here = root();
  // What npx unpacked for one command goes with its cache: then it is the file that npx was given.
  return `npm install ${here.includes(`${sep}_npx${sep}`) ? `./portolan-${await version()}.tgz` : here}`;
};
