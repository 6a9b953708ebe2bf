import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../clock.ts';
import { sha256 } from '../journal.ts';
import type { Records } from './database.ts';

/** A key of the maps API begins with `nk-`; public clients take any other string for a refresh token. */
const newKey = (): string => `nk-${randomBytes(32).toString('base64url')}`;

/** The user whose key this is. Keys are kept as SHA-256 only. */
export const userOfKey = (records: Records, key: string): string | undefined =>
  records.get<{ user_id: string }>('SELECT user_id FROM keys WHERE hash = ?', sha256(key))?.user_id;

/** Issues a key; the answer is the only place where it is ever readable. */
export const issueKey = (records: Records, userId: string, keyName: string): string => {
  const key = newKey();
  records.run(
    'INSERT INTO keys (hash, key_name, suffix, user_id, created_at) VALUES (?, ?, ?, ?, ?)',
    sha256(key),
    keyName,
    key.slice(-4),
    userId,
    isoTime(),
  );
  return key;
};

/** The first user's admin key: kept readable in a file for its owner only, because the command line prints it at each start. */
export const adminKey = (records: Records, dataDir: string, userId: string): string => {
  const file = join(dataDir, 'admin-key');
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept !== '' && userOfKey(records, kept) !== undefined) return kept;
  const key = issueKey(records, userId, `admin-${isoTime()}`);
  writeFileSync(`${file}.new`, `${key}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return key;
};
