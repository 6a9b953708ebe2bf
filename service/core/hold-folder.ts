import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';

export type HeldFolder = {
  readonly path: string;
  /** False while the folder that was taken no longer stands under its name: what is written then is in files that nobody finds again. */
  isThere(): boolean;
  letGo(): void;
};

/**
 * Holds a data directory for this process alone; throws where another holds it. The lock is SQLite's on a file of
 * its own, so the system lets it go with the process, however that ends.
 * `waitMs`: how long one that is ending is waited for; blocks the thread.
 */
export const holdFolder = (dataDir: string, waitMs = 0): HeldFolder => {
  const file = join(dataDir, 'lock.sqlite');
  const lock = new DatabaseSync(file);
  try {
    lock.exec(
      `PRAGMA busy_timeout = ${waitMs}; PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (pid); COMMIT; BEGIN EXCLUSIVE;`,
    );
  } catch (error) {
    lock.close();
    throw new Error(`another service holds ${dataDir}; stop it, or use another data directory`, { cause: error });
  }
  const identity = (): string | undefined => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  };
  const taken = identity();
  return { path: dataDir, isThere: () => identity() === taken, letGo: () => lock.close() };
};
