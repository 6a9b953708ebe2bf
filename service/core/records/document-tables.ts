/** Documents of both APIs: files of the maps API that are to be parsed, and tasks that read files. */
export const documentTables = `
CREATE TABLE document_files (file_id TEXT PRIMARY KEY, organization_id TEXT NOT NULL REFERENCES organizations (id), name TEXT NOT NULL, content_type TEXT NOT NULL, size INTEGER NOT NULL, created_at REAL NOT NULL, filled_at REAL) STRICT;
CREATE TABLE document_tasks (task_id TEXT PRIMARY KEY, kind TEXT NOT NULL, organization_id TEXT NOT NULL REFERENCES organizations (id), input TEXT NOT NULL, state TEXT NOT NULL, verdict TEXT, error TEXT, begun INTEGER NOT NULL DEFAULT 0,
  created_at REAL NOT NULL, ended_at REAL) STRICT;
CREATE INDEX document_tasks_of_state ON document_tasks (state, created_at);`;
