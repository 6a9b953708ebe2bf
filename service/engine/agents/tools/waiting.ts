import { createHash } from 'node:crypto';
import type { Json } from '../../../../text/json.ts';
import { messagesOf, bodyOf, type AgentRow } from '../records.ts';
import { fileArg, textArg, texts, ToolRefused, type AsyncTool } from './tool.ts';
import { addAgent } from '../add-agent.ts';

/** How long an agent waits for the answer to a question, and for sub-agents, in seconds of the clock that can be moved. */
export const answerSeconds = 600;
const subAgentSeconds = 86_400;

/** An id that follows from another one: what is begun again after a kill is the same thing. */
const idAfter = (id: string, what: string): string => {
  const hex = createHash('sha256').update(`${what} ${id}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** Nobody answers through the API: an answer comes by the control plane, or the agent goes on without one. */
export const ask_user: AsyncTool = {
  does: 'Ask the user a question and wait for the answer, ten minutes at most.',
  parameters: texts('question'),
  begin(args) {
    textArg(args, 'question');
    return { waitSeconds: answerSeconds };
  },
  result: (_, __, overdue) =>
    overdue ? { answer: null, says: 'nobody answered in time; go on with what is most likely meant' } : undefined,
};

const lastWord = ({ records }: { records: Parameters<typeof messagesOf>[0] }, agent: AgentRow): Json =>
  messagesOf(records, agent.id).findLast(({ type }) => type === 'assistant' || type === 'error')?.body ?? null;

export const delegate: AsyncTool = {
  does: 'Have a sub-agent do a part of the work on one file, and wait for what it says.',
  parameters: texts('prompt', 'file'),
  begin(args, context) {
    if (context.agent.parent_id !== null) throw new ToolRefused('a sub-agent starts no further ones');
    const file = fileArg(args, context);
    const id = idAfter(context.messageId, 'sub-agent');
    addAgent(context.records, { ...context.agent, id, parent_id: context.agent.id }, { prompt: textArg(args, 'prompt'), files: [file] });
    return { waitSeconds: subAgentSeconds, subAgentIds: [id] };
  },
  result(_, context, overdue): Json | undefined {
    const id = idAfter(context.messageId, 'sub-agent');
    const agent = context.records.get<AgentRow>('SELECT * FROM agents WHERE id = ?', id);
    if (!agent || agent.deleted_at !== null) return { status: 'gone', says: 'it was deleted before it had ended' };
    if (agent.status !== 'finished' && agent.status !== 'stopped' && agent.status !== 'failed')
      return overdue ? { status: agent.status, says: 'it has not ended in time' } : undefined;
    const body = lastWord(context, agent);
    return { agent: id, status: agent.status, says: typeof body === 'string' ? (bodyOf({ body }).text ?? null) : null };
  },
};
