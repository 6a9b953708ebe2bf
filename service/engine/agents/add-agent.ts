import { isoTime } from '../../core/clock.ts';
import type { Records } from '../../core/records/database.ts';
import type { AgentFile, PromptImage } from './model.ts';
import { say, type AgentRow } from './records.ts';

/** What an agent is when it is launched: all else follows. */
export type NewAgent = Pick<
  AgentRow,
  | 'id'
  | 'user_id'
  | 'organization_id'
  | 'parent_id'
  | 'project_id'
  | 'project_name'
  | 'workflow_id'
  | 'workflow_version_id'
  | 'workflow_name'
  | 'instructions'
  | 'model'
  | 'mode'
  | 'capabilities'
>;

const titleLength = 80;

/** The first line of the prompt, cut where it is long. */
export const titleOf = (text: string): string => {
  const [line = ''] = text.trim().split('\n');
  return line.length > titleLength ? `${line.slice(0, titleLength - 1).trimEnd()}…` : line;
};

/** Adds a waiting agent that is due at once, with its first message; one of the same id stays as it is. Called inside a transaction. */
export const addAgent = (
  records: Records,
  agent: NewAgent,
  {
    prompt,
    images = [],
    files,
    dueAt = 0,
  }: { prompt: string; images?: readonly PromptImage[]; files: readonly AgentFile[]; dueAt?: number },
): boolean => {
  if (records.get('SELECT 1 AS there FROM agents WHERE id = ?', agent.id)) return false;
  const at = isoTime();
  records.run(
    `INSERT INTO agents (id, user_id, organization_id, parent_id, project_id, project_name, workflow_id, workflow_version_id, workflow_name, instructions, title, model, mode, capabilities, status, due_at, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, ?)`,
    agent.id,
    agent.user_id,
    agent.organization_id,
    agent.parent_id,
    agent.project_id,
    agent.project_name,
    agent.workflow_id,
    agent.workflow_version_id,
    agent.workflow_name,
    agent.instructions,
    titleOf(prompt === '' ? (agent.workflow_name ?? '') : prompt),
    agent.model,
    agent.mode,
    agent.capabilities,
    dueAt,
    at,
    at,
  );
  for (const { id, slots } of files)
    for (const slot of slots.length > 0 ? slots : [null])
      records.run('INSERT OR IGNORE INTO agent_files (agent_id, file_id, slot) VALUES (?, ?, ?)', agent.id, id, slot);
  if (prompt !== '') say(records, { id: agent.id, turn: 1, round: 1 }, 'user', { text: prompt, images });
  return true;
};
