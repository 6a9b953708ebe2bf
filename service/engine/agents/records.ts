import type { AgentStatus } from '../../../contracts/instance/agent-shapes.ts';
import { isoTime } from '../../core/clock.ts';
import { newId } from '../../core/new-id.ts';
import type { Records } from '../../core/records/database.ts';
import type { Json } from '../../../text/json.ts';
import type { Entry, PromptImage } from './model.ts';

export type AgentRow = {
  seq: number;
  id: string;
  user_id: string;
  organization_id: string;
  parent_id: string | null;
  project_id: string | null;
  project_name: string | null;
  workflow_id: string | null;
  workflow_version_id: string | null;
  workflow_name: string | null;
  instructions: string | null;
  title: string;
  model: string;
  mode: string;
  /** JSON. */
  capabilities: string;
  status: AgentStatus;
  /** Prompts so far. */
  turn: number;
  /** The next answer of the model, counted over all turns. */
  round: number;
  /** When the next round begins, in milliseconds of the clock that can be moved; null: never by itself. */
  due_at: number | null;
  stopping: number;
  /** JSON. */
  retry: string | null;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
};

/** What a message holds beside its type; of a tool also what the API does not show: `args` and `result`. */
export type MessageBody = {
  text?: string;
  /** Those that came with the prompt. */
  images?: readonly PromptImage[];
  toolName?: string;
  status?: 'started' | 'completed' | 'failed';
  subAgentIds?: string[];
  args?: { [name: string]: Json };
  result?: Json;
  /** Of a tool that is waited for: until when, in milliseconds of the clock that can be moved. */
  until?: number;
};

export type MessageRow = {
  seq: number;
  id: string;
  agent_id: string;
  turn: number;
  round: number;
  type: string;
  body: string;
  created_at: string;
};

export const agentOf = (records: Records, id: string): AgentRow | undefined =>
  records.get<AgentRow>('SELECT * FROM agents WHERE id = ? AND deleted_at IS NULL', id);

/** An agent with its sub-agents, of whatever depth, that are still there. */
export const familyOf = (records: Records, agentId: string): AgentRow[] =>
  records.all<AgentRow>(
    `WITH RECURSIVE family (id) AS (SELECT ? UNION SELECT agents.id FROM agents JOIN family ON parent_id = family.id)
     SELECT agents.* FROM agents JOIN family ON agents.id = family.id WHERE deleted_at IS NULL`,
    agentId,
  );

export const messagesOf = (records: Records, agentId: string): MessageRow[] =>
  records.all<MessageRow>('SELECT * FROM agent_messages WHERE agent_id = ? ORDER BY seq', agentId);

export const messageOf = (records: Records, id: string): MessageRow | undefined =>
  records.get<MessageRow>('SELECT * FROM agent_messages WHERE id = ?', id);

export const bodyOf = ({ body }: Pick<MessageRow, 'body'>): MessageBody => JSON.parse(body) as MessageBody;

/** Adds a message; returns its id. Called inside a transaction. */
export const say = (
  records: Records,
  { id: agentId, turn, round }: Pick<AgentRow, 'id' | 'turn' | 'round'>,
  type: string,
  body: MessageBody,
): string => {
  const id = newId();
  records.run(
    'INSERT INTO agent_messages (id, agent_id, turn, round, type, body, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    id,
    agentId,
    turn,
    round,
    type,
    JSON.stringify(body),
    isoTime(),
  );
  return id;
};

export const amend = (records: Records, id: string, body: MessageBody): void =>
  void records.run('UPDATE agent_messages SET body = ? WHERE id = ?', JSON.stringify(body), id);

type Changes = Partial<Pick<AgentRow, 'status' | 'turn' | 'round' | 'due_at' | 'stopping' | 'retry'>>;

/** Changes an agent that is still there, and notes when. */
export const change = (records: Records, id: string, changes: Changes): number => {
  const columns = Object.keys(changes);
  return records.run(
    `UPDATE agents SET ${columns.map((column) => `${column} = ?`).join(', ')}, updated_at = ? WHERE id = ? AND deleted_at IS NULL`,
    ...Object.values<string | number | null>(changes),
    isoTime(),
    id,
  );
};

/** Lets the agent that waits for this one look at it again; in the transaction that ends or deletes this one. */
export const wakeParent = (records: Records, { parent_id }: Pick<AgentRow, 'parent_id'>, at: number): void => {
  if (parent_id !== null) records.run("UPDATE agents SET due_at = ? WHERE id = ? AND status = 'awaiting_tool'", at, parent_id);
};

/**
 * The conversation as a model is given it: what a tool has not ended yet is left out, errors and thoughts are, and what tools have found
 * before the last compaction.
 */
export const entriesOf = (rows: readonly MessageRow[]): Entry[] => {
  const compacted = rows.findLast(({ type }) => type === 'compaction')?.seq ?? 0;
  return rows.flatMap((row): Entry[] => {
    const { turn, round, type, id } = row;
    const { text = '', images = [], toolName = '', status, args = {}, result = null } = bodyOf(row);
    if (type === 'user') return [{ type, turn, round, text, images }];
    if (type === 'assistant') return [{ type, turn, round, text }];
    if (type !== 'tool' || status === 'started' || row.seq < compacted) return [];
    return [{ type, turn, round, id, call: { name: toolName, args }, failed: status === 'failed', result }];
  });
};
