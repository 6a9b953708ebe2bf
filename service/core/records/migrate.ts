import type { DatabaseSync } from 'node:sqlite';

/** Brings a database to the newest version, a step at a time; one that a newer version has written is refused. `file` names it in the error. */
export function migrate(db: DatabaseSync, file: string, steps: readonly string[]): void {
  const version = Number(db.prepare('PRAGMA user_version').get()!['user_version']);
  if (version > steps.length)
    throw new Error(`${file} is of version ${version}, this service knows up to ${steps.length}: start it with the newer Portolan`);
  for (const [at, step] of steps.entries()) {
    if (at < version) continue;
    db.exec(`BEGIN IMMEDIATE; ${step} PRAGMA user_version = ${at + 1}; COMMIT;`);
  }
}
