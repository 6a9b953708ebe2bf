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

/** Tables of projects, budgets and workflows of the instance API: a further step. */
export const workTables = `
CREATE TABLE work_projects (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL REFERENCES organizations (id), name TEXT NOT NULL, description TEXT, project_number TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;
CREATE INDEX work_projects_of ON work_projects (organization_id, id);
CREATE TABLE work_members (project_id TEXT NOT NULL REFERENCES work_projects (id), user_id TEXT NOT NULL REFERENCES users (id), role TEXT NOT NULL, PRIMARY KEY (project_id, user_id)) STRICT;
CREATE TABLE budget_contracts (organization_id TEXT PRIMARY KEY REFERENCES organizations (id), amount_cents INTEGER NOT NULL, project_budgets INTEGER NOT NULL) STRICT;
CREATE TABLE budgets (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL REFERENCES organizations (id), project_id TEXT UNIQUE REFERENCES work_projects (id), amount_cents INTEGER NOT NULL, spent_cents INTEGER NOT NULL DEFAULT 0,
  on_exhausted TEXT NOT NULL, renewal_cadence TEXT, renewal_cents INTEGER, renews_at REAL, limits_enabled INTEGER NOT NULL DEFAULT 0, limit_default_cents INTEGER, limit_period TEXT) STRICT;
CREATE UNIQUE INDEX budget_of_organization ON budgets (organization_id) WHERE project_id IS NULL;
CREATE TABLE budget_limits (budget_id TEXT NOT NULL REFERENCES budgets (id), user_id TEXT NOT NULL REFERENCES users (id), limit_cents INTEGER NOT NULL, PRIMARY KEY (budget_id, user_id)) STRICT;
CREATE TABLE budget_charges (run_id TEXT NOT NULL, budget_id TEXT NOT NULL REFERENCES budgets (id), user_id TEXT NOT NULL REFERENCES users (id), day TEXT NOT NULL, nano_usd INTEGER NOT NULL, cents INTEGER NOT NULL, PRIMARY KEY (run_id, budget_id, user_id, day)) STRICT;
CREATE INDEX budget_charges_of ON budget_charges (budget_id, user_id, day);
CREATE TABLE workflow_versions (id TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, version INTEGER NOT NULL, content TEXT NOT NULL, artifacts TEXT NOT NULL, author_id TEXT NOT NULL REFERENCES users (id), was_released INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, UNIQUE (workflow_id, version)) STRICT;
CREATE TABLE workflows (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL REFERENCES organizations (id), user_id TEXT NOT NULL REFERENCES users (id), project_id TEXT REFERENCES work_projects (id), name TEXT NOT NULL, description TEXT, metadata TEXT NOT NULL,
  is_shared INTEGER NOT NULL DEFAULT 0, released_id TEXT, latest_id TEXT NOT NULL, created_at TEXT NOT NULL) STRICT;
CREATE INDEX workflows_of ON workflows (organization_id, id);
CREATE TABLE workflow_runs (run_id TEXT PRIMARY KEY, version_id TEXT NOT NULL REFERENCES workflow_versions (id)) STRICT;
CREATE INDEX workflow_runs_of ON workflow_runs (version_id);`;
