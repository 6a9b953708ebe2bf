import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput, Unavailable } from '../../../errors/classes.ts';
import { HttpError } from '../../core/errors.ts';
import type { Json } from '../../../text/json.ts';
import type { AgentFile } from './model.ts';
import { amend, bodyOf, change, messageOf, type AgentRow, type MessageBody, type MessageRow } from './records.ts';
import type { EngineParts } from './parts.ts';
import { asyncTools, tools } from './tools/index.ts';
import { ToolRefused, type ToolContext } from './tools/tool.ts';

/** What is known of an error that a tool met, for the agent to read. */
const refusalOf = (error: unknown): string => {
  if ([ToolRefused, BadInput, HttpError, Unavailable].some((told) => error instanceof told)) return (error as Error).message;
  process.stderr.write(`tool of an agent: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 'the tool failed';
};

/** A call as far as it has come: its end, or until when it is waited for. */
type Settled = { body: MessageBody; until?: number };

/** Carries out one call, or looks at one that is waited for. */
const settle = async (body: MessageBody, context: ToolContext, { records, clock }: EngineParts): Promise<Settled> => {
  const { toolName = '', args = {} } = body;
  const ended = (status: 'completed' | 'failed', result: Json): Settled => ({ body: { ...body, status, result } });
  try {
    const tool = tools[toolName];
    if (tool) return ended('completed', await tool.run(args, context));
    const awaited = asyncTools[toolName];
    if (!awaited)
      throw new ToolRefused(`there is no tool ${toolName}; there are ${[...Object.keys(tools), ...Object.keys(asyncTools)].join(', ')}`);
    // What was answered meanwhile stands in the message.
    if (body.result !== undefined) return ended('completed', body.result);
    if (body.until === undefined) {
      const { waitSeconds, ...begun } = records.transaction(() => awaited.begin(args, context));
      const until = clock.now() + waitSeconds * 1_000;
      return { body: { ...body, ...begun, until }, until };
    }
    const result = awaited.result(args, context, clock.now() >= body.until);
    return result === undefined ? { body, until: body.until } : ended('completed', result);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return ended('failed', { error: refusalOf(error) });
  }
};

export const filesOf = ({ records, host }: EngineParts, agent: AgentRow): AgentFile[] => {
  const rows = records.all<{ file_id: string; slot: string | null }>(
    'SELECT file_id, slot FROM agent_files WHERE agent_id = ? ORDER BY rowid',
    agent.id,
  );
  const owner = ownerOf(agent);
  return host
    .files(
      owner,
      rows.map(({ file_id }) => file_id),
    )
    .map((file) => ({ ...file, slots: rows.flatMap(({ file_id, slot }) => (file_id === file.id && slot !== null ? [slot] : [])) }));
};

export const ownerOf = ({ user_id, organization_id, project_id }: AgentRow) => ({
  userId: user_id,
  organizationId: organization_id,
  projectId: project_id,
});

/**
 * Goes on with the calls that an agent's last round has asked for. Each end is kept when it is there, so that after a kill only what was
 * under way is carried out once more. With all of them done the agent is due for its next round; else it waits for the first that may end.
 */
export const settleTools = async (parts: EngineParts, agent: AgentRow, open: readonly MessageRow[], signal: AbortSignal): Promise<void> => {
  const { records, clock } = parts;
  const files = filesOf(parts, agent);
  let until = Infinity;
  for (const row of open) {
    await parts.reach('agent.tools');
    const scratch = await mkdtemp(join(parts.scratch, 'tool-'));
    try {
      const context = { ...parts, scratch, agent, files, owner: ownerOf(agent), messageId: row.id, signal };
      // Nothing stands between this and the beginning of a call: who stops or deletes an agent has seen all sub-agents that it has begun.
      signal.throwIfAborted();
      // Read only now: an answer may have come since the calls were listed.
      const settled = await settle(bodyOf(messageOf(records, row.id)!), context, parts);
      signal.throwIfAborted();
      amend(records, row.id, settled.body);
      if (settled.until !== undefined) until = Math.min(until, settled.until);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
  if (until === Infinity) change(records, agent.id, { status: 'running', round: agent.round + 1, due_at: clock.now() });
  // An answer, or the end of a sub-agent, that came meanwhile has seen nobody who waits.
  else change(records, agent.id, { status: 'awaiting_tool', due_at: hasCome(parts, open) ? clock.now() : until });
};

/** Has one of the calls that are waited for what it waits for? */
const hasCome = ({ records }: EngineParts, calls: readonly MessageRow[]): boolean =>
  calls.some(({ id }) => {
    const row = messageOf(records, id);
    const { subAgentIds = [], status, result } = row ? bodyOf(row) : {};
    return (
      status === 'started' &&
      (result !== undefined ||
        subAgentIds.some((sub) =>
          records.get(
            "SELECT 1 AS ended FROM agents WHERE id = ? AND (deleted_at IS NOT NULL OR status IN ('finished', 'stopped', 'failed'))",
            sub,
          ),
        ))
    );
  });
