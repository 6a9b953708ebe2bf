import { HttpError, notFound } from '../../core/errors.ts';
import type { Records } from '../../core/records/database.ts';
import type { AgentHost } from '../../engine/agents/ports.ts';
import type { Files } from '../../engine/files/files.ts';

/** Files that a search of an agent finds, at most. */
const mostFound = 20;

/** What agents have of the other resources of the API. */
export const createAgentHost = ({ files, records }: { files: Files; records: Records }): AgentHost => ({
  files(owner, ids) {
    const { files: found, missing } = files.findAll(owner, ids);
    if (missing.length > 0) throw new HttpError(400, `files that are not there, or not yours to read: ${missing.join(', ')}`);
    return found.map(({ id, name, mime_type }) => ({ id, name, mimeType: mime_type, slot: null }));
  },
  contentOf(owner, fileId) {
    const file = files.find(owner, fileId);
    const version = file && files.version(owner, file.version_id);
    if (!version) throw notFound('file', fileId);
    return version.path;
  },
  adopt: (owner, agentId, ids) => files.adopt(owner, ids, agentId),
  searchFiles: (owner, query) =>
    records.all<{ id: string; name: string }>(
      `SELECT id, name FROM files WHERE ${files.readable} AND instr(lower(name), lower(?)) > 0 ORDER BY id DESC LIMIT ?`,
      ...files.reading(owner),
      query,
      mostFound,
    ),
  searchCodes: () => ({ results: [] }),
  project: (_, projectId) => {
    throw notFound('project', projectId);
  },
  workflow: (_, workflowId) => {
    throw notFound('workflow', workflowId);
  },
  ran: () => undefined,
  blocked: () => undefined,
  charge: () => undefined,
});
