import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** 32 random bytes of a data directory, the same after every start, in a file for its owner only. */
export const keptSecret = (dataDir: string, name: string): Buffer => {
  const file = join(dataDir, name);
  try {
    writeFileSync(file, randomBytes(32), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = readFileSync(file);
  if (secret.byteLength === 32) return secret;
  // A kill between creation and writing: nothing was ever signed with it.
  writeFileSync(file, randomBytes(32), { mode: 0o600 });
  return readFileSync(file);
};
