import type { Records } from '../../core/records/database.ts';
import { artifactsOf } from '../../engine/agents/artifacts.ts';
import { bodyOf, type AgentRow, type MessageRow } from '../../engine/agents/records.ts';

/** An agent as lists and stops show it. */
export const summaryOf = (records: Records, row: AgentRow) => ({
  id: row.id,
  status: row.status as string,
  title: row.title,
  retry: row.retry === null ? null : (JSON.parse(row.retry) as Record<string, unknown>),
  workflowId: row.workflow_id,
  workflowVersionId: row.workflow_version_id,
  projectId: row.project_id,
  workflowName: row.workflow_name,
  projectName: row.project_name,
  artifacts: artifactsOf(records, row.id).map(({ id, type, name, created_at }) => ({ id, type, name, createdAt: created_at })),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const detailOf = (records: Records, row: AgentRow) => ({
  ...summaryOf(records, row),
  activeFileIds: records
    .all<{ file_id: string }>('SELECT file_id FROM agent_files WHERE agent_id = ? GROUP BY file_id ORDER BY min(rowid)', row.id)
    .map(({ file_id }) => file_id),
  parentSessionId: row.parent_id,
  model: row.model,
});

/** What is shown without `include=steps`. */
const said = new Set(['user', 'assistant', 'error']);

export const messageViews = (rows: readonly MessageRow[], withSteps: boolean) =>
  rows
    .filter(({ type }) => withSteps || said.has(type))
    .map((row) => {
      const { text = '', toolName, status, subAgentIds = [] } = bodyOf(row);
      const { id, type, created_at: createdAt } = row;
      if (type === 'thinking') return { id, createdAt, type, redacted: false, text };
      if (type === 'tool') return { id, createdAt, type, toolName, status, subAgentIds };
      return type === 'compaction' ? { id, createdAt, type } : { id, createdAt, type, text };
    });
