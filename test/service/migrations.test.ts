import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRecords } from '../../service/core/records/database.ts';
import { callerOf, type KeyRow } from '../../service/core/records/keys.ts';
import { migrations } from '../../service/core/records/migrations.ts';
import { sha256 } from '../../service/core/journal.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-records-'));
  file = join(folder, 'records.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The records as version 1 wrote them, with a user and a key. */
const version1 = (): void => {
  const db = new DatabaseSync(file);
  db.exec(`${migrations[0]} PRAGMA user_version = 1;
    INSERT INTO users VALUES ('u', 'ada', 'Ada', 'ada@example.com', '2026-01-01T00:00:00Z', 'o');
    INSERT INTO organizations VALUES ('o', 'ada', 'ada', 'personal', NULL, NULL, NULL, '2026-01-01T00:00:00Z');
    INSERT INTO memberships VALUES ('u', 'o', 'OWNER');
    INSERT INTO keys VALUES ('${sha256('nk-old')}', 'first', '-old', 'u', '2026-01-01T00:00:00Z');`);
  db.close();
};

const shapeOf = (): unknown => {
  const db = new DatabaseSync(file);
  const shape = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
  const version = db.prepare('PRAGMA user_version').get();
  db.close();
  return { shape, version };
};

test('records of version 1 become those of today: its keys go on opening the maps API, now with an identity', () => {
  version1();
  const records = openRecords(file);
  expect(callerOf(records, 'maps', 'nk-old')).toMatchObject({ userId: 'u', organizationId: 'o', scopes: [] });
  expect(callerOf(records, 'instance', 'nk-old')).toBeUndefined();
  const key = records.get<KeyRow>('SELECT * FROM keys')!;
  expect(key).toMatchObject({ key_name: 'first', prefix: 'nk-', suffix: '-old', service: 'maps', revoked_at: null });
  expect(key.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  records.close();
});

test('what has been migrated has the shape of what was made new, and is not migrated again', () => {
  version1();
  openRecords(file).close();
  const migrated = shapeOf();
  openRecords(file).close();
  expect(shapeOf()).toEqual(migrated);
  rmSync(file);
  openRecords(file).close();
  expect(shapeOf()).toEqual(migrated);
});

test('records of a newer version are refused, not read as they are', () => {
  openRecords(file).close();
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA user_version = ${migrations.length + 1}`);
  db.close();
  expect(() => openRecords(file)).toThrow(/of version \d+, this service knows up to \d+/);
});
