import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRecords } from '../../service/core/records/database.ts';
import { migrate } from '../../service/core/records/migrate.ts';

const steps = [
  'CREATE TABLE things (id TEXT);',
  "ALTER TABLE things ADD COLUMN kind TEXT; UPDATE things SET kind = 'old';",
  "INSERT INTO things VALUES ('added', 'new');",
];

const things = (db: DatabaseSync) => db.prepare('SELECT id, kind FROM things').all();

test('records of an earlier version take the steps that are new to them, each once', () => {
  using db = new DatabaseSync(':memory:');
  migrate(db, 'records', steps.slice(0, 1));
  db.exec("INSERT INTO things VALUES ('first')");
  const now = [
    { id: 'first', kind: 'old' },
    { id: 'added', kind: 'new' },
  ];
  migrate(db, 'records', steps);
  expect(things(db)).toEqual(now);
  migrate(db, 'records', steps);
  expect(things(db)).toEqual(now);
});

test('a step that fails leaves the version before it whole', () => {
  using db = new DatabaseSync(':memory:');
  expect(() => migrate(db, 'records', [...steps, 'DELETE FROM things; SELECT nothing;'])).toThrow(/nothing/);
  db.exec('ROLLBACK');
  expect(things(db)).toEqual([{ id: 'added', kind: 'new' }]);
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: steps.length });
});

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'portolan-records-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('records of a newer version are refused, not read as they are', () => {
  const file = join(folder, 'records.sqlite');
  openRecords(file).close();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 1000');
  db.close();
  expect(() => openRecords(file)).toThrow(/of version 1000, this service knows up to \d+/);
});
