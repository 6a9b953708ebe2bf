import { isoTime } from '../../core/clock.ts';
import { HttpError, invalid, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { Records } from '../../core/records/database.ts';
import type { Owner } from '../files/folders.ts';

export type WorkflowRow = {
  id: string;
  organization_id: string;
  user_id: string;
  project_id: string | null;
  name: string;
  description: string | null;
  /** JSON. */
  metadata: string;
  is_shared: number;
  released_id: string | null;
  latest_id: string;
};

export type VersionRow = {
  id: string;
  workflow_id: string;
  version: number;
  /** JSON of `WorkflowContent`. */
  content: string;
  /** JSON of `LinkedArtifact[]`. */
  artifacts: string;
  author_id: string;
  was_released: number;
  created_at: string;
  updated_at: string;
};

export type Slot = {
  name: string;
  description?: string | null | undefined;
  optional?: boolean | null | undefined;
  multiple?: boolean | null | undefined;
};

/** What a version says of its runs. */
export type WorkflowContent = {
  instructionMarkdown: string;
  mode: string;
  model: string;
  requestedFiles: readonly Slot[];
  capabilities: Record<string, unknown>;
};

export type LinkedArtifact = { id: string; name: string; type: string; content: unknown };
export type GivenArtifact = { id: string } | { name: string; content?: unknown };

/** A version as an agent runs it. */
export type Runnable = WorkflowContent & { workflowId: string; versionId: string; name: string };

export const emptyContent: WorkflowContent = { instructionMarkdown: '', mode: 'low', model: 'auto', requestedFiles: [], capabilities: {} };

const isTable = (content: unknown): boolean =>
  typeof content === 'object' && content !== null && 'schema' in content && 'elements' in content;

/** Artifacts as they are kept: those that are named by `id` come from the version before. */
export const artifactsOf = (given: readonly GivenArtifact[], before: readonly LinkedArtifact[]): LinkedArtifact[] =>
  given.map((each) => {
    if ('id' in each) {
      const known = before.find(({ id }) => id === each.id);
      if (!known) throw invalid('linkedArtifacts', `${each.id} is no artifact of the base version`);
      return known;
    }
    if (typeof each.content !== 'string' && !isTable(each.content))
      throw invalid('linkedArtifacts', `'${each.name}' is neither Markdown (a string) nor a table (schema and elements)`);
    return { id: newId(), name: each.name, type: typeof each.content === 'string' ? 'MARKDOWN_DOCUMENT' : 'TABLE', content: each.content };
  });

/** Workflows and their versions. What changes something is called inside a transaction. */
export const createWorkflows = (records: Records) => {
  const version = (id: string): VersionRow => records.get<VersionRow>('SELECT * FROM workflow_versions WHERE id = ?', id)!;
  const runs = (versionId: string): string[] =>
    records.all<{ run_id: string }>('SELECT run_id FROM workflow_runs WHERE version_id = ?', versionId).map(({ run_id }) => run_id);
  const find = ({ organizationId }: Owner, id: string): WorkflowRow | undefined =>
    records.get<WorkflowRow>('SELECT * FROM workflows WHERE id = ? AND organization_id = ?', id, organizationId);
  const mayEdit = ({ userId }: Owner, { user_id }: WorkflowRow): boolean => user_id === userId;
  const mayRun = (caller: Owner, row: WorkflowRow): boolean => mayEdit(caller, row) || (row.is_shared === 1 && row.released_id !== null);
  const versionOf = ({ id }: WorkflowRow, versionId: string): VersionRow | undefined =>
    records.get<VersionRow>('SELECT * FROM workflow_versions WHERE id = ? AND workflow_id = ?', versionId, id);
  const addVersion = (
    workflowId: string,
    number: number,
    authorId: string,
    content: WorkflowContent,
    artifacts: LinkedArtifact[],
  ): string => {
    const id = newId();
    const at = isoTime();
    records.run(
      'INSERT INTO workflow_versions (id, workflow_id, version, content, artifacts, author_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      id,
      workflowId,
      number,
      JSON.stringify(content),
      JSON.stringify(artifacts),
      authorId,
      at,
      at,
    );
    return id;
  };

  return {
    version,
    versionOf,
    runs,
    mayRun,
    /** The workflow; 404 where the caller may not edit it, as where there is none. */
    editable(caller: Owner, id: string): WorkflowRow {
      const row = find(caller, id);
      if (!row || !mayEdit(caller, row)) throw notFound('workflow', id);
      return row;
    },
    versions: ({ id }: WorkflowRow): VersionRow[] =>
      records.all<VersionRow>('SELECT * FROM workflow_versions WHERE workflow_id = ? ORDER BY version DESC', id),
    add(
      { userId, organizationId }: Owner,
      row: Pick<WorkflowRow, 'name' | 'description' | 'metadata' | 'project_id'>,
      content: WorkflowContent,
      artifacts: LinkedArtifact[],
    ): WorkflowRow {
      const id = newId();
      const latest = addVersion(id, 1, userId, content, artifacts);
      records.run(
        'INSERT INTO workflows (id, organization_id, user_id, project_id, name, description, metadata, latest_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        id,
        organizationId,
        userId,
        row.project_id,
        row.name,
        row.description,
        row.metadata,
        latest,
        isoTime(),
      );
      return records.get<WorkflowRow>('SELECT * FROM workflows WHERE id = ?', id)!;
    },
    rename: ({ id }: WorkflowRow, { name, description, metadata }: Pick<WorkflowRow, 'name' | 'description' | 'metadata'>): number =>
      records.run(
        'UPDATE workflows SET name = ?1, description = ?2, metadata = ?3 WHERE id = ?4 AND (name IS NOT ?1 OR description IS NOT ?2 OR metadata IS NOT ?3)',
        name,
        description,
        metadata,
        id,
      ),
    /** Edits the draft in place, where the edit starts from it and no agent has run it; else adds a version. */
    edit(row: WorkflowRow, base: VersionRow, authorId: string, content: WorkflowContent, artifacts: LinkedArtifact[]) {
      const latest = version(row.latest_id);
      const isDraft = latest.id === base.id && latest.was_released === 0 && runs(latest.id).length === 0;
      if (!isDraft) {
        const versionId = addVersion(row.id, latest.version + 1, authorId, content, artifacts);
        records.run('UPDATE workflows SET latest_id = ? WHERE id = ?', versionId, row.id);
        return { versionId, createdNewVersion: true, changed: 1 };
      }
      const changed = records.run(
        'UPDATE workflow_versions SET content = ?1, artifacts = ?2, updated_at = ?3 WHERE id = ?4 AND (content IS NOT ?1 OR artifacts IS NOT ?2)',
        JSON.stringify(content),
        JSON.stringify(artifacts),
        isoTime(),
        latest.id,
      );
      return { versionId: latest.id, createdNewVersion: false, changed };
    },
    release(row: WorkflowRow, { id }: VersionRow): number {
      records.run('UPDATE workflow_versions SET was_released = 1 WHERE id = ?', id);
      return records.run('UPDATE workflows SET released_id = ?1 WHERE id = ?2 AND released_id IS NOT ?1', id, row.id);
    },
    /** Sharing is no operation of the API: the builder's, and here the control plane's. */
    share(id: string, shared: boolean): void {
      if (records.run('UPDATE workflows SET is_shared = ? WHERE id = ?', Number(shared), id) === 0) throw notFound('workflow', id);
    },
    /**
     * The version that an agent of the caller runs: the one that is named, else the released one, or the latest where none is (assumption).
     * 404 where the caller may not run the workflow, 403 where the version is not released and the caller may not edit it.
     */
    runnable(caller: Owner, id: string, versionId: string | undefined): Runnable {
      const row = find(caller, id);
      if (!row || !mayRun(caller, row)) throw notFound('workflow', id);
      const usual = row.released_id ?? row.latest_id;
      const found = versionOf(row, versionId ?? usual);
      if (!found) throw invalid('workflowVersionId', `${versionId} is no version of workflow ${id}`);
      if (found.id !== row.released_id && !mayEdit(caller, row))
        throw new HttpError(403, `version ${found.version} of the workflow is not released, and only who may edit the workflow can run it`);
      return { workflowId: id, versionId: found.id, name: row.name, ...(JSON.parse(found.content) as WorkflowContent) };
    },
    /** Notes that a run of an agent was launched on a version; inside the transaction of the launch. */
    ran: (versionId: string, runId: string): void =>
      void records.run('INSERT OR IGNORE INTO workflow_runs (run_id, version_id) VALUES (?, ?)', runId, versionId),
  };
};

export type Workflows = ReturnType<typeof createWorkflows>;
