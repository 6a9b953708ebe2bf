import { accessSync, constants, lstatSync, mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Undefined for a user id without an entry in the password file, as containers have, and without HOME. */
export function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** Folder of this user on this host, for what all projects share: `portolan` in XDG_STATE_HOME, else in ~/.local/state. */
export const stateFolder = (): string | undefined => userFolder('XDG_STATE_HOME', '.local', 'state');

/** Folder of this user on this host, for what can be made again: `portolan` in XDG_CACHE_HOME, else in ~/.cache. */
export const cacheFolder = (): string | undefined => userFolder('XDG_CACHE_HOME', '.cache');

/** Where neither place can be written, one beside the temporary files. Undefined where that is another user's. */
function userFolder(variable: string, ...belowHome: string[]): string | undefined {
  const asked = process.env[variable];
  const home = homeFolder();
  const place = asked !== undefined && isAbsolute(asked) ? asked : home && join(home, ...belowHome);
  const beside = join(tmpdir(), `portolan-${process.getuid?.() ?? ''}`);
  return (place === undefined ? [beside] : [join(place, 'portolan'), beside]).find(isOurs);
}

/** Made where it is missing. The folder of temporary files is everybody's: what lies there under our name may be another's. */
function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const { uid, mode } = lstatSync(folder);
    return !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0);
  } catch {
    return false;
  }
}
