import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DevError } from './dev-error.ts';

export type Lock = { release(): void };

// A database that nothing refers to is collected, closed, and its lock with it.
const held = new Set<DatabaseSync>();

const sqliteBusy = 5;
const sqliteNoDatabase = 26;

/**
 * Takes an exclusive lock on a file, waiting up to `waitMs` (blocks the thread); undefined when another process has it; fails where the file is no lock.
 * SQLite's lock is the operating system's: it ends with the process, however that dies.
 */
export const takeLock = (file: string, waitMs = 0): Lock | undefined => {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  try {
    // Nothing is ever written, so nothing needs a journal beside the file.
    database.exec(`PRAGMA busy_timeout = ${waitMs}; PRAGMA journal_mode = MEMORY`);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    // Whoever holds it would have been met first: the file is free, and only what stands in it is in the way.
    if ((error as { errcode?: number }).errcode === sqliteNoDatabase)
      throw new DevError(`${file} is no lock: something else was written into it`, 'take the file away: it holds nothing', {
        cause: error,
      });
    throw error;
  }
  held.add(database);
  return {
    release: () => {
      if (held.delete(database)) database.close();
    },
  };
};
