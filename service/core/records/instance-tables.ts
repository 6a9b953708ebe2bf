/** Tables of the instance API's files: a step of the migrations, never changed once released. */
export const fileTables = `
CREATE TABLE folders (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL REFERENCES organizations (id), user_id TEXT NOT NULL REFERENCES users (id),
  parent_id TEXT REFERENCES folders (id), name TEXT NOT NULL, kind TEXT NOT NULL, created_at TEXT NOT NULL) STRICT;
CREATE INDEX folders_by_name ON folders (user_id, organization_id, kind, parent_id, name);
CREATE TABLE files (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL REFERENCES organizations (id), user_id TEXT NOT NULL REFERENCES users (id),
  parent_id TEXT REFERENCES folders (id), name TEXT NOT NULL, mime_type TEXT NOT NULL, status TEXT NOT NULL, fault TEXT, version_id TEXT NOT NULL,
  created_at TEXT NOT NULL, expires_at REAL, discarded_at TEXT) STRICT;
CREATE INDEX files_by_name ON files (user_id, organization_id, parent_id, name);
CREATE INDEX files_that_expire ON files (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE file_versions (id TEXT PRIMARY KEY, file_id TEXT NOT NULL REFERENCES files (id), mime_type TEXT NOT NULL, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, created_at TEXT NOT NULL) STRICT;
CREATE INDEX file_versions_of_file ON file_versions (file_id);`;
