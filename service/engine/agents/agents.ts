import { mkdirSync, rmSync } from 'node:fs';
import { hasEnded } from '../../../contracts/instance/agent-shapes.ts';
import type { PromptImage } from './model.ts';
import { checkSpend, launchAgent, type Caller, type Launch } from './launch.ts';
import type { EngineParts } from './parts.ts';
import { createQueue } from './queue.ts';
import { removeAgent } from './remove.ts';
import { jsonTokens } from './prices.ts';
import { agentOf, amend, bodyOf, change, entriesOf, familyOf, messagesOf, say, type AgentRow, type MessageRow } from './records.ts';

/** Tokens of what tools have found that are kept for a further turn. */
const mostKept = 20_000;

/** Is what tools have found too much to be read once more at every round? A further turn begins without it, and reads what it needs again. */
const isLong = (rows: readonly MessageRow[]): boolean =>
  entriesOf(rows).reduce((sum, entry) => sum + (entry.type === 'tool' ? jsonTokens(entry.result) : 0), 0) > mostKept;

/** Agents that run in the background: their state stands in the records, so that they go on after any end of the service. */
export const createAgents = (parts: EngineParts) => {
  const { records, scratch } = parts;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  const queue = createQueue(parts);

  return {
    launch(input: Launch, caller: Caller): AgentRow {
      const launched = launchAgent(parts, input, caller);
      queue.wake();
      return launched;
    },

    /** A further turn of one that has ended. */
    followup(agent: AgentRow, prompt: { text: string; images?: readonly PromptImage[] | undefined }, { requestId }: Caller): AgentRow {
      checkSpend(parts, { userId: agent.user_id, organizationId: agent.organization_id, projectId: agent.project_id });
      const { text, images = [] } = prompt;
      records.effect({ requestId, operation: 'instance.agents.followup', subject: `agent/${agent.id}`, content: { text } }, () => {
        const turn = agent.turn + 1;
        if (isLong(messagesOf(records, agent.id))) say(records, { ...agent, turn }, 'compaction', {});
        say(records, { ...agent, turn }, 'user', { text, images });
        return { changed: change(records, agent.id, { status: 'waiting', turn, due_at: 0, retry: null }), value: undefined };
      });
      const waiting = agentOf(records, agent.id)!;
      queue.wake();
      return waiting;
    },

    /** Asks the agent and its sub-agents to stop: they are seen to have stopped some time later. */
    stop(agent: AgentRow, { requestId }: Caller): AgentRow {
      if (hasEnded(agent)) return agent;
      const running = familyOf(records, agent.id).filter((each) => !hasEnded(each));
      records.effect({ requestId, operation: 'instance.agents.stop', subject: `agent/${agent.id}`, content: {} }, () => ({
        changed: running.filter(({ stopping }) => !stopping).map(({ id }) => change(records, id, { stopping: 1, due_at: 0 })).length,
        value: undefined,
      }));
      for (const { id } of running) void queue.abort(id);
      queue.wake();
      return agentOf(records, agent.id)!;
    },

    remove: (agent: AgentRow, caller: Caller): Promise<void> => removeAgent(parts, queue, agent, caller),

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
