import type { Records } from '../../core/records/database.ts';
import { say, type AgentRow } from './records.ts';

const why = 'the web was not searched: the worker of this service reaches none';

/**
 * Says in a conversation that begins that the capability `webSearch` of its launch has no effect, as a search that has failed: who reads
 * the conversation sees it, and so does the model. Called inside a transaction.
 */
export const sayWithoutWeb = (records: Records, agent: AgentRow): void => {
  // Before the first round, which is the first answer of the model.
  const before = { ...agent, round: agent.round - 1 };
  say(records, before, 'thinking', { text: `webSearch: ${why}.` });
  say(records, before, 'tool', { toolName: 'search_web', args: {}, status: 'failed', result: { error: why } });
};
