import { DatabaseSync } from 'node:sqlite';
import { now } from '../clock.ts';
import { journalRow } from '../journal.ts';
import type { JournalEntry, JournalRow } from '../journal.ts';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, nickname TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL, created_at TEXT NOT NULL, default_organization TEXT) STRICT;
CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY, key_name TEXT NOT NULL, suffix TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users (id), created_at TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS organizations (id TEXT PRIMARY KEY, nickname TEXT NOT NULL, slug TEXT NOT NULL UNIQUE, organization_type TEXT NOT NULL, description TEXT, logo_url TEXT, website TEXT, created_at TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS memberships (user_id TEXT NOT NULL REFERENCES users (id), organization_id TEXT NOT NULL REFERENCES organizations (id), access_role TEXT NOT NULL, PRIMARY KEY (user_id, organization_id)) STRICT;
CREATE TABLE IF NOT EXISTS projects (id TEXT PRIMARY KEY, owner TEXT NOT NULL REFERENCES organizations (id), creator TEXT NOT NULL REFERENCES users (id), project_name TEXT NOT NULL, slug TEXT NOT NULL,
  description TEXT NOT NULL, is_public INTEGER NOT NULL, is_public_to_org INTEGER NOT NULL, privacy TEXT NOT NULL, unique_id_field TEXT, modality TEXT, created_at TEXT NOT NULL, removed_at TEXT) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS projects_slug ON projects (owner, slug) WHERE removed_at IS NULL;
CREATE TABLE IF NOT EXISTS builds (index_id TEXT PRIMARY KEY, job_id TEXT NOT NULL UNIQUE, projection_id TEXT NOT NULL UNIQUE, project_id TEXT NOT NULL REFERENCES projects (id), ended INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE IF NOT EXISTS journal (seq INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, request_id TEXT NOT NULL, operation TEXT NOT NULL, subject TEXT NOT NULL, act TEXT NOT NULL, intent TEXT NOT NULL, changed INTEGER NOT NULL) STRICT;
PRAGMA user_version = 1;`;

type Value = string | number | null;

export type Records = {
  get<T>(sql: string, ...values: Value[]): T | undefined;
  all<T>(sql: string, ...values: Value[]): T[];
  run(sql: string, ...values: Value[]): number;
  /** Runs `work` and writes its journal row in one transaction; `work` tells the number of things changed. */
  effect<T>(entry: JournalEntry, work: () => { changed: number; value: T }): T;
  transaction<T>(work: () => T): T;
  journal(): JournalRow[];
  close(): void;
};

/** The service's small records. An answered effect is on disk: WAL with `synchronous = FULL`. */
export const openRecords = (file: string): Records => {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000;');
  db.exec(SCHEMA);
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const prepare = (sql: string) => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const transaction = <T>(work: () => T): T => {
    db.exec('BEGIN IMMEDIATE');
    try {
      const value = work();
      db.exec('COMMIT');
      return value;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };
  const run = (sql: string, ...values: Value[]): number => Number(prepare(sql).run(...values).changes);
  return {
    get: <T>(sql: string, ...values: Value[]) => prepare(sql).get(...values) as T | undefined,
    all: <T>(sql: string, ...values: Value[]) => prepare(sql).all(...values) as T[],
    run,
    effect: (entry, work) =>
      transaction(() => {
        const { changed, value } = work();
        const row = journalRow(entry, now(), changed);
        run(
          'INSERT INTO journal (at, request_id, operation, subject, act, intent, changed) VALUES (?, ?, ?, ?, ?, ?, ?)',
          row.at,
          row.request_id,
          row.operation,
          row.subject,
          row.act,
          row.intent,
          row.changed,
        );
        return value;
      }),
    transaction,
    journal: () => prepare('SELECT * FROM journal ORDER BY seq').all() as unknown as JournalRow[],
    close: () => db.close(),
  };
};
