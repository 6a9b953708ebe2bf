import { HttpError, notFound } from '../../core/errors.ts';
import type { Records } from '../../core/records/database.ts';
import type { AgentFile } from '../../engine/agents/model.ts';
import type { AgentHost } from '../../engine/agents/ports.ts';
import type { FileRow, Files } from '../../engine/files/files.ts';
import type { Owner } from '../../engine/files/folders.ts';
import { addsTo } from './adds-to.ts';
import { codeView } from './codes.ts';
import type { InstanceState } from './state.ts';

/** Files that a search of an agent finds, at most. */
const mostFound = 20;

/** Passages of codes that a search of an agent finds, at most. */
const mostPassages = 5;

/** The text of a document; each of its pages ends with a form feed. */
const withPages = (chunks: readonly { content: string; page?: number | null | undefined }[]): string => {
  let page = 1;
  return chunks
    .map(({ content, page: at }, index) => {
      const turned = Math.max(0, (at ?? page) - page);
      page += turned;
      return `${'\f'.repeat(turned)}${index > 0 && turned === 0 ? '\n\n' : ''}${content}`;
    })
    .join('');
};

/** What agents have of the other resources of the API. */
export const createAgentHost = ({
  files,
  records,
  projects,
  workflows,
  budgets,
  codes,
  readings,
  documents,
}: Pick<InstanceState, 'files' | 'records' | 'projects' | 'workflows' | 'budgets' | 'codes' | 'readings' | 'documents'>): AgentHost => ({
  files: (owner, ids) => readable(files, owner, ids).map(asAgentFile),
  readyFiles(owner, ids) {
    const found = readable(files, owner, ids);
    const unready = found.filter(({ status }) => status === 'processing').map(({ name }) => name);
    if (unready.length > 0 && readings.of('unready-file') === 'refused')
      throw new HttpError(400, `files that are still processing: ${unready.join(', ')}; poll their status, and launch once they are ready`);
    return found.map(asAgentFile);
  },
  contentOf(owner, fileId) {
    const file = files.find(owner, fileId);
    const version = file && files.version(owner, file.version_id);
    if (!version) throw notFound('file', fileId);
    return version.path;
  },
  async documentText(owner, fileId, place, signal) {
    const file = files.find(owner, fileId);
    const version = file && files.version(owner, file.version_id);
    if (!version) throw notFound('file', fileId);
    const { chunks } = await documents.read({ file: version.path, name: version.name, contentType: version.mimeType }, place, signal);
    return withPages(chunks);
  },
  adopt: (owner, agentId, ids) => files.adopt(owner, ids, agentId),
  orphan: (ids) => files.orphan(ids),
  searchFiles: (owner, query) =>
    records.all<{ id: string; name: string }>(
      `SELECT id, name FROM files WHERE ${files.readable} AND instr(caseless(name), caseless(?)) > 0 ORDER BY id DESC LIMIT ?`,
      ...files.reading(owner),
      query,
      mostFound,
    ),
  searchCodes: (query) => ({ results: codes.search({ query, limit: mostPassages }).map(codeView) }),
  project: (owner, projectId) => ({ name: addsTo({ records, projects, readings }, owner, projectId).name }),
  workflow(owner, workflowId, versionId) {
    const { instructionMarkdown, requestedFiles, capabilities, ...found } = workflows.runnable(owner, workflowId, versionId);
    return {
      ...found,
      instructions: instructionMarkdown,
      capabilities: { codeSearch: capabilities['codeSearch'] === true, webSearch: capabilities['webSearch'] === true },
      slots: requestedFiles.map(({ name, optional, multiple }) => ({ name, optional: optional ?? false, multiple: multiple ?? false })),
    };
  },
  ran: ({ versionId }, agentId) => workflows.ran(versionId, agentId),
  blocked: (owner) => records.transaction(() => budgets.blocked(owner)),
  // What sub-agents cost is their run's, which is rounded to cents once.
  charge: (owner, { agentId, nanoUsd }) => budgets.charge(owner, { agentId: runOf(records, agentId), nanoUsd }),
});

/** Files that an owner may read; 400 where one is not there. */
const readable = (files: Files, owner: Owner, ids: readonly string[]): FileRow[] => {
  const { files: found, missing } = files.findAll(owner, ids);
  if (missing.length > 0) throw new HttpError(400, `files that are not there, or not yours to read: ${missing.join(', ')}`);
  return found;
};

const asAgentFile = ({ id, name, mime_type }: FileRow): AgentFile => ({ id, name, mimeType: mime_type, slots: [] });

/** The agent that was launched, of which this one is a sub-agent of whatever depth, or itself. */
const runOf = (records: Records, agentId: string): string => {
  const parent = records.get<{ parent_id: string | null }>('SELECT parent_id FROM agents WHERE id = ?', agentId)?.parent_id ?? null;
  return parent === null ? agentId : runOf(records, parent);
};
