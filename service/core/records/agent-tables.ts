/** Tables of agents, of what was said, what it cost and what came of it: a step of the migrations, never changed once released. */
export const agentTables = `
CREATE TABLE agents (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES users (id), organization_id TEXT NOT NULL REFERENCES organizations (id),
  parent_id TEXT, project_id TEXT, project_name TEXT, workflow_id TEXT, workflow_version_id TEXT, workflow_name TEXT, instructions TEXT, title TEXT NOT NULL, model TEXT NOT NULL, mode TEXT NOT NULL, capabilities TEXT NOT NULL,
  status TEXT NOT NULL, turn INTEGER NOT NULL DEFAULT 1, round INTEGER NOT NULL DEFAULT 1, due_at REAL, stopping INTEGER NOT NULL DEFAULT 0, retry TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT) STRICT;
CREATE INDEX agents_due ON agents (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX agents_of_user ON agents (user_id, seq);
CREATE INDEX agents_of_parent ON agents (parent_id) WHERE parent_id IS NOT NULL;
CREATE TABLE agent_messages (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL REFERENCES agents (id), turn INTEGER NOT NULL, round INTEGER NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, created_at TEXT NOT NULL) STRICT;
CREATE INDEX agent_messages_of ON agent_messages (agent_id, seq);
CREATE TABLE agent_spend (agent_id TEXT NOT NULL REFERENCES agents (id), round INTEGER NOT NULL, model TEXT NOT NULL, nano_usd INTEGER NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
  cache_creation_tokens INTEGER NOT NULL, cache_read_tokens INTEGER NOT NULL, at TEXT NOT NULL, PRIMARY KEY (agent_id, round)) STRICT;
CREATE TABLE agent_files (agent_id TEXT NOT NULL REFERENCES agents (id), file_id TEXT NOT NULL, slot TEXT, PRIMARY KEY (agent_id, file_id)) STRICT;
CREATE TABLE artifacts (id TEXT PRIMARY KEY, agent_id TEXT, user_id TEXT NOT NULL, organization_id TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, created_at TEXT NOT NULL) STRICT;
CREATE INDEX artifacts_of ON artifacts (agent_id);
CREATE TABLE artifact_versions (artifact_id TEXT NOT NULL REFERENCES artifacts (id), version INTEGER NOT NULL, made_by TEXT NOT NULL UNIQUE, content TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (artifact_id, version)) STRICT;`;

/** A file of an agent may fill several slots of its workflow. */
export const slotFileTable = `
CREATE TABLE slot_files (agent_id TEXT NOT NULL REFERENCES agents (id), file_id TEXT NOT NULL, slot TEXT) STRICT;
INSERT INTO slot_files SELECT agent_id, file_id, slot FROM agent_files ORDER BY rowid;
DROP TABLE agent_files;
ALTER TABLE slot_files RENAME TO agent_files;
CREATE UNIQUE INDEX agent_files_of ON agent_files (agent_id, file_id, coalesce(slot, ''));`;
