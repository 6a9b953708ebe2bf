import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';

/**
 * Holds a data directory for this process alone; throws where another holds it. The lock is SQLite's on a file of
 * its own, so the system lets it go with the process, however that ends.
 */
export const holdFolder = (dataDir: string): (() => void) => {
  const lock = new DatabaseSync(join(dataDir, 'lock.sqlite'));
  try {
    lock.exec(
      'PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (pid); COMMIT; BEGIN EXCLUSIVE;',
    );
  } catch (error) {
    lock.close();
    throw new Error(`another service holds ${dataDir}; stop it, or use another data directory`, { cause: error });
  }
  return () => lock.close();
};
