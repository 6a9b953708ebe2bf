/** A uuid of SQLite's own making, for rows that were made before they had one. */
const uuid = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`;

/** The schema of the small records, one step for each version: a released step is never changed, a change is a further step. */
export const migrations: readonly string[] = [
  `
CREATE TABLE users (id TEXT PRIMARY KEY, nickname TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL, created_at TEXT NOT NULL, default_organization TEXT) STRICT;
CREATE TABLE keys (hash TEXT PRIMARY KEY, key_name TEXT NOT NULL, suffix TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users (id), created_at TEXT NOT NULL) STRICT;
CREATE TABLE organizations (id TEXT PRIMARY KEY, nickname TEXT NOT NULL, slug TEXT NOT NULL UNIQUE, organization_type TEXT NOT NULL, description TEXT, logo_url TEXT, website TEXT, created_at TEXT NOT NULL) STRICT;
CREATE TABLE memberships (user_id TEXT NOT NULL REFERENCES users (id), organization_id TEXT NOT NULL REFERENCES organizations (id), access_role TEXT NOT NULL, PRIMARY KEY (user_id, organization_id)) STRICT;
CREATE TABLE projects (id TEXT PRIMARY KEY, owner TEXT NOT NULL REFERENCES organizations (id), creator TEXT NOT NULL REFERENCES users (id), project_name TEXT NOT NULL, slug TEXT NOT NULL,
  description TEXT NOT NULL, is_public INTEGER NOT NULL, is_public_to_org INTEGER NOT NULL, privacy TEXT NOT NULL, unique_id_field TEXT, modality TEXT, created_at TEXT NOT NULL, removed_at TEXT) STRICT;
CREATE UNIQUE INDEX projects_slug ON projects (owner, slug) WHERE removed_at IS NULL;
CREATE TABLE builds (index_id TEXT PRIMARY KEY, job_id TEXT NOT NULL UNIQUE, projection_id TEXT NOT NULL UNIQUE, project_id TEXT NOT NULL REFERENCES projects (id), ended INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE journal (seq INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, request_id TEXT NOT NULL, operation TEXT NOT NULL, subject TEXT NOT NULL, act TEXT NOT NULL, intent TEXT NOT NULL, changed INTEGER NOT NULL) STRICT;`,
  // Keys of several services, with an identity, an end and what they may do; users that can be disabled; why an administrator did it.
  `
ALTER TABLE users ADD COLUMN disabled_at TEXT;
ALTER TABLE users ADD COLUMN updated_at TEXT;
CREATE TABLE keys_of_services (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, service TEXT NOT NULL, key_name TEXT NOT NULL, prefix TEXT NOT NULL, suffix TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id), organization_id TEXT NOT NULL REFERENCES organizations (id), scopes TEXT NOT NULL, role TEXT, target_kind TEXT, target_id TEXT,
  created_at TEXT NOT NULL, last_used_at TEXT, expires_at TEXT, revoked_at TEXT) STRICT;
INSERT INTO keys_of_services (id, hash, service, key_name, prefix, suffix, user_id, organization_id, scopes, created_at)
  SELECT ${uuid}, hash, 'maps', key_name, 'nk-', suffix, user_id, (SELECT default_organization FROM users WHERE users.id = user_id), '[]', created_at FROM keys;
DROP TABLE keys;
ALTER TABLE keys_of_services RENAME TO keys;
CREATE INDEX keys_of_user ON keys (user_id);
CREATE TABLE audit (seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, user_id TEXT NOT NULL, operation TEXT NOT NULL, subject TEXT NOT NULL, reason TEXT) STRICT;`,
  // A removed project is marked once more when nothing of it is left.
  `ALTER TABLE projects ADD COLUMN deleted_at TEXT;`,
];
