import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
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

test('two that open new records at the same moment take each step once', () => {
  const file = join(folder, 'records.sqlite');
  using first = new DatabaseSync(file);
  using second = new DatabaseSync(file);
  const meanwhile = [...steps];
  // Between the look at the version and the first step, the other one takes them all.
  Object.defineProperty(meanwhile, 0, {
    get: () => {
      migrate(second, file, steps);
      return steps[0];
    },
  });
  migrate(first, file, meanwhile);
  expect(things(first)).toEqual([{ id: 'added', kind: 'new' }]);
});

test('records that another process holds just now are waited for', async () => {
  const file = join(folder, 'records.sqlite');
  // It lets go once this thread has met the lock, of which there is no event: the thread is blocked then.
  const holding = `
    const { parentPort, workerData } = require('node:worker_threads');
    const db = new (require('node:sqlite').DatabaseSync)(workerData);
    db.exec('BEGIN EXCLUSIVE; CREATE TABLE held (id TEXT)');
    parentPort.postMessage('held');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    db.exec('ROLLBACK');
    db.close();`;
  const holder = new Worker(holding, { eval: true, workerData: file });
  await once(holder, 'message');
  openRecords(file).close();
  await once(holder, 'exit');
});
