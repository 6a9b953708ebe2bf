import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { services, type Service } from '../../../contracts/index.ts';
import { isoTime, now } from '../clock.ts';
import { sha256 } from '../../../text/sha256.ts';
import type { Records } from './database.ts';
import { ifMember } from './organizations.ts';

export type KeyRow = {
  id: string;
  service: Service;
  key_name: string;
  /** The first characters of the key. */
  prefix: string;
  /** The last ones. */
  suffix: string;
  user_id: string;
  /** Where it was made, and is listed. */
  organization_id: string;
  /** JSON. */
  scopes: string;
  role: string | null;
  target_kind: string | null;
  target_id: string | null;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
};

/** Whose key a request came with, and what the key may do. */
export type Caller = {
  userId: string;
  keyId: string;
  /** The organization that the key acts for; empty where its user is no member of it any more. */
  organizationId: string;
  scopes: readonly string[];
  /** What the key may do of what its user may, by what it is for; null: all of it. */
  role: string | null;
  /** What the key is limited to; a null id: to nothing but what its user may do. */
  target: { kind: string | null; id: string | null };
  /** The session of an access token; absent for an API key. */
  session?: string;
};

export type NewKey = {
  service: Service;
  userId: string;
  organizationId: string;
  name: string;
  scopes?: readonly string[];
  role?: string | null;
  target?: { kind: string; id: string | null };
  expiresAt?: string;
};

const digitsShown = 5;

/** Issues a key; this result is the only place where it is ever readable, because it is kept as SHA-256. */
export const issueKey = (records: Records, { service, userId, organizationId, name, scopes = [], role, target, expiresAt }: NewKey) => {
  const { keyPrefix } = services[service];
  const key = `${keyPrefix}${randomBytes(32).toString('base64url')}`;
  const id = randomUUID();
  records.run(
    'INSERT INTO keys (id, hash, service, key_name, prefix, suffix, user_id, organization_id, scopes, role, target_kind, target_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    sha256(key),
    service,
    name,
    key.slice(0, keyPrefix.length + digitsShown),
    key.slice(-4),
    userId,
    organizationId,
    JSON.stringify(scopes),
    role ?? null,
    target?.kind ?? null,
    target?.id ?? null,
    isoTime(),
    expiresAt ?? null,
  );
  return { id, key };
};

/** A use within so many milliseconds of the last one noted is not noted: each note is a write. */
const noteMs = 60_000;

const hasExpired = ({ expires_at }: Pick<KeyRow, 'expires_at'>): boolean => expires_at !== null && Date.parse(expires_at) <= now();

/** How many keys of a service a user has that are neither revoked nor expired. */
export const activeKeys = (records: Records, service: Service, userId: string): number =>
  records
    .all<KeyRow>('SELECT * FROM keys WHERE user_id = ? AND service = ? AND revoked_at IS NULL', userId, service)
    .filter((key) => !hasExpired(key)).length;

/** Whose key this is at the service; undefined where it is unknown, revoked or expired, or its user disabled. */
export const callerOf = (records: Records, service: Service, key: string): Caller | undefined => {
  const found = records.get<KeyRow>(
    'SELECT keys.* FROM keys JOIN users ON users.id = user_id WHERE hash = ? AND service = ? AND revoked_at IS NULL AND disabled_at IS NULL',
    sha256(key),
    service,
  );
  if (!found || hasExpired(found)) return undefined;
  if (found.last_used_at === null || Date.parse(found.last_used_at) + noteMs <= now())
    records.run('UPDATE keys SET last_used_at = ? WHERE id = ?', isoTime(), found.id);
  return {
    userId: found.user_id,
    keyId: found.id,
    organizationId: ifMember(records, found.user_id, organizationOf(records, found)),
    scopes: JSON.parse(found.scopes) as string[],
    role: found.role,
    target: { kind: found.target_kind, id: found.target_id },
  };
};

/** The organization that a key acts for: its target, or the owner of the dataset that is, else where it was made. */
function organizationOf(records: Records, { target_kind, target_id, organization_id }: KeyRow): string | null {
  if (target_kind === 'DATASET') return records.get<{ owner: string }>('SELECT owner FROM projects WHERE id = ?', target_id)?.owner ?? null;
  return target_id ?? organization_id;
}

/** The first user's key of a service with every scope: kept readable in a file for its owner only, because the command line prints it at each start. */
export const adminKey = (records: Records, dataDir: string, owner: Pick<NewKey, 'userId' | 'organizationId'>, service: Service): string => {
  const file = adminKeyFile(dataDir, service);
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept !== '' && callerOf(records, service, kept) !== undefined) return kept;
  const { key } = issueKey(records, { ...owner, service, name: `admin-${isoTime()}`, scopes: ['admin', 'developer'] });
  writeFileSync(`${file}.new`, `${key}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return key;
};

/** Where the admin key of a service stands in its data folder. */
export const adminKeyFile = (dataDir: string, service: Service): string => join(dataDir, `${service}-admin-key`);
