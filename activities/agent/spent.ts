import type { OutputOf } from '../../client/invoke.ts';
import type { Intents } from '../../store/intents.ts';
import type { StepContext } from '../frame/context.ts';
import { promptsOf } from './follow-ups-sent.ts';

type Usage = OutputOf<'instance.agents.usage'>;

/** What an agent has cost that has ended, in US dollars and tokens; columns of the step's results. */
export type Spent = { cost_usd: number; input_tokens: number; output_tokens: number };

/** `prompts`: how many of those it had been sent have cost that, 0 while its turn goes on; absent where several agents may be the one that is meant. */
type Noted = { spent: Spent; prompts?: number };

/** Its name in the journal of an item. */
export const spentCall = 'spent';

const notedIn = (intents: Intents): Noted | undefined => {
  const known = intents.state(spentCall);
  return known.is === 'done' ? (known.result as Noted) : undefined;
};

/** What the journal of an item knows of it; undefined while nobody has read it. */
export const spentIn = (intents: Intents): Spent | undefined => notedIn(intents)?.spent;

/** Keeps what an agent has cost so far whose turn goes on. */
export const stillSpends = (spent: Spent, intents: Intents): void => intents.done(spentCall, { spent, prompts: 0 } satisfies Noted);

/** Was its agent sent a prompt since, so that it may have cost more? */
export function mayHaveSpentMore(intents: Intents): boolean {
  const noted = notedIn(intents);
  return noted === undefined || (noted.prompts !== undefined && noted.prompts !== promptsOf(intents));
}

const usageOf = (id: string, { invoke, signal }: StepContext): Promise<Usage> => invoke('instance.agents.usage', { id }, { signal });

function spentOf(spend: Usage['spend']): Spent {
  const sum = (of: (entry: Usage['spend'][number]) => number | null | undefined): number =>
    spend.reduce((total, entry) => total + (of(entry) ?? 0), 0);
  return {
    cost_usd: sum(({ costUsd }) => costUsd),
    input_tokens: sum(
      ({ inputTokens, cacheReadTokens, cacheCreationTokens }) => (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheCreationTokens ?? 0),
    ),
    output_tokens: sum(({ outputTokens }) => outputTokens),
  };
}

/** Keeps what several agents have cost so far that all bear the mark of one item. */
export async function readSpentOf(agents: readonly string[], context: StepContext): Promise<void> {
  const usages = await Promise.all(agents.map((agent) => usageOf(agent, context)));
  context.intents().done(spentCall, { spent: spentOf(usages.flatMap(({ spend }) => spend)) } satisfies Noted);
}

/** Reads what an agent has cost that has ended, and keeps it in the journal of its item: what comes after may fail, and it is spent all the same. */
export async function readSpent(agent: string, context: StepContext): Promise<{ usage: Usage; spent: Spent }> {
  const usage = await usageOf(agent, context);
  const spent = spentOf(usage.spend);
  const intents = context.intents();
  intents.done(spentCall, { spent, prompts: promptsOf(intents) } satisfies Noted);
  return { usage, spent };
}
