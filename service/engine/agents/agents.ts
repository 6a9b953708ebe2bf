import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { endStatuses } from '../../../contracts/instance/agent-shapes.ts';
import { newId } from '../../core/new-id.ts';
import { HttpError, invalid } from '../../core/errors.ts';
import { addAgent } from './add-agent.ts';
import type { AgentFile } from './model.ts';
import type { EngineParts } from './parts.ts';
import type { Owner, RunnableWorkflow } from './ports.ts';
import { createQueue } from './queue.ts';
import { jsonTokens } from './prices.ts';
import { agentOf, amend, bodyOf, change, entriesOf, messagesOf, say, type AgentRow, type MessageRow } from './records.ts';

export type Launch = {
  prompt?: { text: string; images?: readonly unknown[] | undefined } | undefined;
  workflowId?: string | undefined;
  workflowVersionId?: string | undefined;
  projectId?: string | undefined;
  fileIds?: readonly string[] | undefined;
  workflowInputs?: Readonly<Record<string, string | readonly string[]>> | undefined;
  capabilities?: { codeSearch?: boolean | undefined; webSearch?: boolean | undefined } | undefined;
  model?: string | undefined;
  mode?: string | undefined;
};

type Caller = Omit<Owner, 'projectId'> & { requestId: string };

/** The longest time that a deletion waits for what is under way (instance text). */
const releaseMs = 10_000;

export const hasEnded = ({ status }: Pick<AgentRow, 'status'>): boolean => endStatuses.some((end) => end === status);

/** Tokens of what tools have found that are kept for a further turn. */
const mostKept = 20_000;

/** Is what tools have found too much to be read once more at every round? A further turn begins without it, and reads what it needs again. */
const isLong = (rows: readonly MessageRow[]): boolean =>
  entriesOf(rows).reduce((sum, entry) => sum + (entry.type === 'tool' ? jsonTokens(entry.result) : 0), 0) > mostKept;

/** Files of a workflow's slots: 400 where one is missing, unknown, or has several where it takes one. */
const slotFiles = (
  parts: EngineParts,
  owner: Owner,
  { slots, name }: RunnableWorkflow,
  inputs: NonNullable<Launch['workflowInputs']>,
): AgentFile[] => {
  for (const given of Object.keys(inputs))
    if (!slots.some((slot) => slot.name === given))
      throw invalid(
        'workflowInputs',
        `workflow ${name} has no slot '${given}'; it has ${slots.map((slot) => slot.name).join(', ') || 'none'}`,
      );
  return slots.flatMap((slot) => {
    const ids = [inputs[slot.name] ?? []].flat();
    if (ids.length === 0 && !slot.optional) throw invalid('workflowInputs', `slot '${slot.name}' of workflow ${name} needs a file`);
    if (ids.length > 1 && !slot.multiple) throw invalid('workflowInputs', `slot '${slot.name}' of workflow ${name} takes one file`);
    return parts.host.readyFiles(owner, ids).map((file) => ({ ...file, slot: slot.name }));
  });
};

/** 429 where nothing may be spent; it is no throttle, and says when that changes where it does. */
const checkSpend = ({ host }: EngineParts, owner: Owner): void => {
  const blocked = host.blocked(owner);
  if (!blocked) return;
  const after: Record<string, string> =
    blocked.seconds === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(blocked.seconds))) };
  throw new HttpError(429, blocked.says, after, 'spend_limit_reached');
};

/** Agents that run in the background: their state stands in the records, so that they go on after any end of the service. */
export const createAgents = (parts: EngineParts) => {
  const { records, host, scratch } = parts;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  const queue = createQueue(parts);

  const family = (agentId: string): AgentRow[] =>
    records.all<AgentRow>(
      `WITH RECURSIVE family (id) AS (SELECT ? UNION SELECT agents.id FROM agents JOIN family ON parent_id = family.id)
       SELECT agents.* FROM agents JOIN family ON agents.id = family.id WHERE deleted_at IS NULL`,
      agentId,
    );

  return {
    launch(input: Launch, caller: Caller): AgentRow {
      const owner: Owner = { ...caller, projectId: input.projectId ?? null };
      const project = input.projectId === undefined ? undefined : host.project(owner, input.projectId);
      const workflow = input.workflowId === undefined ? undefined : host.workflow(owner, input.workflowId, input.workflowVersionId);
      const files = workflow
        ? slotFiles(parts, owner, workflow, input.workflowInputs ?? {})
        : host.readyFiles(owner, input.fileIds ?? []).map((file) => ({ ...file, slot: null }));
      checkSpend(parts, owner);
      const id = newId();
      const { requestId } = caller;
      const { prompt } = input;
      const agent = {
        id,
        user_id: owner.userId,
        organization_id: owner.organizationId,
        parent_id: null,
        project_id: input.projectId ?? null,
        project_name: project?.name ?? null,
        workflow_id: workflow?.workflowId ?? null,
        workflow_version_id: workflow?.versionId ?? null,
        workflow_name: workflow?.name ?? null,
        instructions: workflow?.instructions ?? null,
        model: input.model ?? workflow?.model ?? 'auto',
        mode: input.mode ?? workflow?.mode ?? 'low',
        capabilities: JSON.stringify({ codeSearch: false, webSearch: false, ...workflow?.capabilities, ...input.capabilities }),
      };
      const content = {
        prompt: prompt?.text ?? null,
        workflow: input.workflowId ?? null,
        inputs: input.workflowInputs ?? input.fileIds ?? [],
      };
      records.effect({ requestId, operation: 'instance.agents.launch', subject: `agents/${owner.userId}`, content }, () => {
        addAgent(records, agent, { prompt: prompt?.text ?? '', images: prompt?.images?.length ?? 0, files });
        host.adopt(
          owner,
          id,
          files.map((file) => file.id),
        );
        if (workflow) host.ran(workflow, id);
        return { changed: 1, value: undefined };
      });
      const launched = agentOf(records, id)!;
      queue.wake();
      return launched;
    },

    /** A further turn of one that has ended. */
    followup(agent: AgentRow, prompt: { text: string; images?: readonly unknown[] | undefined }, { requestId }: Caller): AgentRow {
      checkSpend(parts, { userId: agent.user_id, organizationId: agent.organization_id, projectId: agent.project_id });
      const { text, images = [] } = prompt;
      records.effect({ requestId, operation: 'instance.agents.followup', subject: `agent/${agent.id}`, content: { text } }, () => {
        const turn = agent.turn + 1;
        if (isLong(messagesOf(records, agent.id))) say(records, { ...agent, turn }, 'compaction', {});
        say(records, { ...agent, turn }, 'user', { text, ...(images.length > 0 ? { images: images.length } : {}) });
        return { changed: change(records, agent.id, { status: 'waiting', turn, due_at: 0, retry: null }), value: undefined };
      });
      const waiting = agentOf(records, agent.id)!;
      queue.wake();
      return waiting;
    },

    /** Asks the agent and its sub-agents to stop: they are seen to have stopped some time later. */
    stop(agent: AgentRow, { requestId }: Caller): AgentRow {
      if (hasEnded(agent)) return agent;
      const running = family(agent.id).filter((each) => !hasEnded(each));
      records.effect({ requestId, operation: 'instance.agents.stop', subject: `agent/${agent.id}`, content: {} }, () => ({
        changed: running.filter(({ stopping }) => !stopping).map(({ id }) => change(records, id, { stopping: 1, due_at: 0 })).length,
        value: undefined,
      }));
      for (const { id } of running) void queue.abort(id);
      queue.wake();
      return agentOf(records, agent.id)!;
    },

    /** Deletes an agent with its sub-agents and what they said; artifacts stay. What does not let go within ten seconds is cut off. */
    async remove(agent: AgentRow, { requestId }: Caller): Promise<void> {
      const all = family(agent.id);
      for (const { id } of all) records.run('UPDATE agents SET due_at = NULL, stopping = 0 WHERE id = ?', id);
      const waited = new AbortController();
      await Promise.race([
        Promise.all(all.map(({ id }) => queue.abort(id))),
        sleep(releaseMs, undefined, { signal: waited.signal, ref: false }).catch(() => undefined),
      ]);
      waited.abort();
      records.effect({ requestId, operation: 'instance.agents.remove', subject: `agent/${agent.id}`, content: {} }, () => {
        let changed = 0;
        const files = all.flatMap(({ id }) => records.all<{ file_id: string }>('SELECT file_id FROM agent_files WHERE agent_id = ?', id));
        for (const { id } of all) {
          records.run('DELETE FROM agent_messages WHERE agent_id = ?', id);
          records.run('UPDATE artifacts SET agent_id = NULL WHERE agent_id = ?', id);
          records.run('DELETE FROM agent_files WHERE agent_id = ?', id);
          changed += change(records, id, { due_at: null });
          // The row stays: lists go on behind it, and what it has cost was spent.
          records.run('UPDATE agents SET deleted_at = updated_at WHERE id = ?', id);
        }
        host.orphan([...new Set(files.map(({ file_id }) => file_id))]);
        return { changed, value: undefined };
      });
    },

    /** Answers the question that an agent waits for; false where it waits for none. */
    answer: (agentId: string, answer: string): boolean => {
      const open = messagesOf(records, agentId).find((row) => {
        const { toolName, status } = row.type === 'tool' ? bodyOf(row) : {};
        return toolName === 'ask_user' && status === 'started';
      });
      if (!open) return false;
      records.transaction(() => {
        amend(records, open.id, { ...bodyOf(open), result: { answer } });
        change(records, agentId, { due_at: 0 });
      });
      queue.wake();
      return true;
    },

    /** Goes on with what an earlier process has left. */
    resume: (): void => queue.wake(),
    close: (): Promise<void> => queue.close(),
  };
};

export type Agents = ReturnType<typeof createAgents>;
