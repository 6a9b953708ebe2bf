import { accessSync, constants, lstatSync, mkdirSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Folder of this user on this host, for what all projects share: `portolan` in XDG_STATE_HOME, else in ~/.local/state; where neither can be
 * written, one beside the temporary files. Undefined where that is another user's.
 */
export function stateFolder(): string | undefined {
  const asked = process.env['XDG_STATE_HOME'];
  const homes = [asked !== undefined && isAbsolute(asked) ? asked : join(homedir(), '.local', 'state')];
  return [...homes.map((home) => join(home, 'portolan')), join(tmpdir(), `portolan-${userInfo().uid}`)].find(isOurs);
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
