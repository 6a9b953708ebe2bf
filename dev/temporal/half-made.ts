import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Tables in which the server's own making of a database leaves rows, before there is a namespace. */
const fromMaking = /^namespace_metadata$|_fts_/;

/**
 * Removes a database of the Temporal server whose making was cut short, by a kill in its first second: the server makes its tables only
 * where there is no file, and never starts on one that lacks some. A row in any other table keeps it, so that nothing can be lost.
 * Nobody may have it open. Returns whether it was removed.
 */
export function removeHalfMade(file: string): boolean {
  if (!existsSync(file) || !isHalfMade(file)) return false;
  for (const path of [file, `${file}-journal`, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true });
  return true;
}

/** False for what is no database, which the server refuses with its reason. */
function isHalfMade(file: string): boolean {
  const database = new DatabaseSync(file);
  try {
    const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all() as { name: string }[];
    return tables.every(({ name }) => fromMaking.test(name) || database.prepare(`select 1 from "${name}" limit 1`).get() === undefined);
  } catch {
    return false;
  } finally {
    database.close();
  }
}
