import { DatabaseSync } from 'node:sqlite';
import { now } from '../clock.ts';
import { journalColumns, journalPlaces, journalValues } from '../journal.ts';
import type { JournalEntry, JournalRow } from '../journal.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';

type Value = string | number | null;

export type Records = {
  get<T>(sql: string, ...values: Value[]): T | undefined;
  all<T>(sql: string, ...values: Value[]): T[];
  run(sql: string, ...values: Value[]): number;
  /** Runs `work` and writes its journal row in one transaction; `work` returns the number of things changed. */
  effect<T>(entry: JournalEntry, work: () => { changed: number; value: T }): T;
  transaction<T>(work: () => T): T;
  journal(): JournalRow[];
  close(): void;
};

/** A text by which it is compared whatever its case: SQLite's own `lower` knows the letters of ASCII alone. */
const caseless = (text: unknown): string | null => (typeof text === 'string' ? text.normalize().toUpperCase() : null);

/** The service's small records. An answered effect is on disk: WAL with `synchronous = FULL`. */
export const openRecords = (file: string): Records => {
  const db = new DatabaseSync(file);
  // First of all how long is waited for another that opens the file: the change to WAL takes a lock itself.
  db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  db.function('caseless', { deterministic: true }, caseless);
  migrate(db, file, migrations);
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
  const all = <T>(sql: string, ...values: Value[]): T[] => prepare(sql).all(...values) as T[];
  return {
    get: <T>(sql: string, ...values: Value[]) => prepare(sql).get(...values) as T | undefined,
    all,
    run,
    effect: (entry, work) =>
      transaction(() => {
        const { changed, value } = work();
        run(`INSERT INTO journal (${journalColumns.join(', ')}) VALUES (${journalPlaces})`, ...journalValues(entry, now(), changed));
        return value;
      }),
    transaction,
    journal: () => all<JournalRow>('SELECT * FROM journal ORDER BY seq'),
    close: () => db.close(),
  };
};
