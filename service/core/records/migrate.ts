import type { DatabaseSync } from 'node:sqlite';

/**
 * Brings a database to the newest version, a step at a time; one that a newer version has written is refused. `file` names it in the error.
 * Two processes may do it at once: each step is taken by one of them.
 */
export function migrate(db: DatabaseSync, file: string, steps: readonly string[]): void {
  const versionNow = (): number => Number(db.prepare('PRAGMA user_version').get()!['user_version']);
  const version = versionNow();
  if (version > steps.length)
    throw new Error(`${file} is of version ${version}, this service knows up to ${steps.length}: start it with the newer Portolan`);
  for (const [taken, step] of steps.slice(version).entries()) {
    const at = version + taken;
    db.exec('BEGIN IMMEDIATE');
    // Before the lock was there another process may have taken this step.
    db.exec(versionNow() > at ? 'COMMIT' : `${step} PRAGMA user_version = ${at + 1}; COMMIT;`);
  }
}
