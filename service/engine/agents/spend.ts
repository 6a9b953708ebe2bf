import type { Records } from '../../core/records/database.ts';

export type Spend = {
  model: string;
  costUsd: number;
  inputTokens: number;
  outputTokens: number;
  cacheCreationTokens: number;
  cacheReadTokens: number;
};

/** What an agent and its sub-agents, of whatever depth, have cost: one entry for each model. */
export const spendOf = (records: Records, agentId: string): Spend[] =>
  records
    .all<Omit<Spend, 'costUsd'> & { nano: number }>(
      `WITH RECURSIVE family (id) AS (SELECT ? UNION SELECT agents.id FROM agents JOIN family ON parent_id = family.id)
       SELECT model, sum(nano_usd) AS nano, sum(input_tokens) AS inputTokens, sum(output_tokens) AS outputTokens,
         sum(cache_creation_tokens) AS cacheCreationTokens, sum(cache_read_tokens) AS cacheReadTokens
       FROM agent_spend JOIN family ON agent_id = family.id GROUP BY model ORDER BY model`,
      agentId,
    )
    .map(({ nano, model, ...tokens }) => ({ model, costUsd: nano / 1e9, ...tokens }));
