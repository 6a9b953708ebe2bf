import { agentTables, slotFileTable } from './agent-tables.ts';
import { documentTables } from './document-tables.ts';
import { fileTables, workTables } from './instance-tables.ts';

/** The schema of the small records, one step for each version: a released step is never changed, a change is a further step. */
export const migrations: readonly string[] = [
  `
CREATE TABLE users (id TEXT PRIMARY KEY, nickname TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL, created_at TEXT NOT NULL, default_organization TEXT, disabled_at TEXT, updated_at TEXT) STRICT;
CREATE TABLE organizations (id TEXT PRIMARY KEY, nickname TEXT NOT NULL, slug TEXT NOT NULL UNIQUE, organization_type TEXT NOT NULL, description TEXT, logo_url TEXT, website TEXT, ai_subprocessor TEXT, created_at TEXT NOT NULL) STRICT;
CREATE TABLE memberships (user_id TEXT NOT NULL REFERENCES users (id), organization_id TEXT NOT NULL REFERENCES organizations (id), access_role TEXT NOT NULL, PRIMARY KEY (user_id, organization_id)) STRICT;
CREATE TABLE keys (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, service TEXT NOT NULL, key_name TEXT NOT NULL, prefix TEXT NOT NULL, suffix TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id), organization_id TEXT NOT NULL REFERENCES organizations (id), scopes TEXT NOT NULL, role TEXT, target_kind TEXT, target_id TEXT,
  created_at TEXT NOT NULL, last_used_at TEXT, expires_at TEXT, revoked_at TEXT) STRICT;
CREATE INDEX keys_of_user ON keys (user_id);
CREATE TABLE projects (id TEXT PRIMARY KEY, owner TEXT NOT NULL REFERENCES organizations (id), creator TEXT NOT NULL REFERENCES users (id), project_name TEXT NOT NULL, slug TEXT NOT NULL,
  description TEXT NOT NULL, is_public INTEGER NOT NULL, is_public_to_org INTEGER NOT NULL, privacy TEXT NOT NULL, unique_id_field TEXT, modality TEXT, created_at TEXT NOT NULL, removed_at TEXT, deleted_at TEXT) STRICT;
CREATE UNIQUE INDEX projects_slug ON projects (owner, slug) WHERE removed_at IS NULL;
CREATE TABLE builds (index_id TEXT PRIMARY KEY, job_id TEXT NOT NULL UNIQUE, projection_id TEXT NOT NULL UNIQUE, project_id TEXT NOT NULL REFERENCES projects (id), ended INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE late_updates (project_id TEXT PRIMARY KEY REFERENCES projects (id), request_id TEXT NOT NULL) STRICT;
CREATE TABLE usage (organization_id TEXT NOT NULL REFERENCES organizations (id), day TEXT NOT NULL, model TEXT NOT NULL, tokens INTEGER NOT NULL, embeddings INTEGER NOT NULL, PRIMARY KEY (organization_id, day, model)) STRICT;
CREATE TABLE journal (seq INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, request_id TEXT NOT NULL, operation TEXT NOT NULL, subject TEXT NOT NULL, act TEXT NOT NULL, intent TEXT NOT NULL, changed INTEGER NOT NULL) STRICT;
CREATE TABLE audit (seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, user_id TEXT NOT NULL, operation TEXT NOT NULL, subject TEXT NOT NULL, reason TEXT) STRICT;`,
  `
CREATE TABLE sessions (id TEXT PRIMARY KEY, refresh_hash TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES users (id), began_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE codes (hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), challenge TEXT, expires_at INTEGER NOT NULL, session_id TEXT) STRICT;`,
  fileTables,
  'CREATE TABLE map_tags (tag_id TEXT PRIMARY KEY, projection_id TEXT NOT NULL) STRICT;',
  agentTables,
  documentTables,
  'ALTER TABLE late_updates ADD COLUMN topics INTEGER NOT NULL DEFAULT 0;',
  workTables,
  'CREATE TABLE open_resources (project_id TEXT PRIMARY KEY REFERENCES projects (id)) STRICT;',
  'ALTER TABLE document_tasks ADD COLUMN user_id TEXT;',
  slotFileTable,
];
