import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRecords, type Records } from '../../service/core/records/database.ts';

let folder: string;
let records: Records;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-records-'));
  records = openRecords(join(folder, 'records.sqlite'));
});
afterEach(() => {
  records.close();
  rmSync(folder, { recursive: true });
});

const entry = { requestId: 'r', operation: 'maps.projects.create', subject: 'project/a', content: {} };
const add = (id: string): number =>
  records.run('INSERT INTO users (id, nickname, name, email, created_at) VALUES (?, ?, ?, ?, ?)', id, id, id, id, id);
const users = (): number => records.all('SELECT * FROM users').length;

test('an effect and its journal row are there together', () => {
  expect(records.effect(entry, () => ({ changed: add('a'), value: 'made' }))).toBe('made');
  expect([users(), records.journal().map(({ subject, changed }) => [subject, changed])]).toEqual([1, [['project/a', 1]]]);
});

test('an effect that fails leaves neither itself nor a journal row', () => {
  const failing = (): never => {
    add('b');
    throw new Error('half way');
  };
  expect(() => records.effect(entry, failing)).toThrow('half way');
  expect([users(), records.journal()]).toEqual([0, []]);
});
