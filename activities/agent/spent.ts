import type { OutputOf } from '../../client/invoke.ts';
import type { Intents } from '../../store/intents.ts';
import type { StepContext } from '../frame/context.ts';

type Usage = OutputOf<'instance.agents.usage'>;

/** What an agent has cost that has ended, in US dollars and tokens; columns of the step's results. */
export type Spent = { cost_usd: number; input_tokens: number; output_tokens: number };

/** Its name in the journal of an item. */
const spentCall = 'spent';

/** What the journal of an item knows of it; undefined while nobody has read it. */
export function spentIn(intents: Intents): Spent | undefined {
  const known = intents.state(spentCall);
  return known.is === 'done' ? (known.result as Spent) : undefined;
}

/** Reads what an agent has cost that has ended, and keeps it in the journal of its item: what comes after may fail, and it is spent all the same. */
export async function readSpent(agent: string, context: StepContext): Promise<{ usage: Usage; spent: Spent }> {
  const usage = await context.invoke('instance.agents.usage', { id: agent }, { signal: context.signal });
  const sum = (of: (entry: Usage['spend'][number]) => number | null | undefined): number =>
    usage.spend.reduce((total, entry) => total + (of(entry) ?? 0), 0);
  const spent: Spent = {
    cost_usd: sum(({ costUsd }) => costUsd),
    input_tokens: sum(
      ({ inputTokens, cacheReadTokens, cacheCreationTokens }) => (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheCreationTokens ?? 0),
    ),
    output_tokens: sum(({ outputTokens }) => outputTokens),
  };
  context.intents().done(spentCall, spent);
  return { usage, spent };
}
