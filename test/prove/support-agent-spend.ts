import { readResults } from '../../store/results.ts';
import type { Stack } from '../support/stack.ts';
import { agentPipeline, own } from './support-agents.ts';
import { startText } from './support-run.ts';

export type SpentRow = { item: string; turns: number; cost: number };

/** What a run has cost, in US dollars, and each of its items. */
export type Spent = { cost: number; statuses: Record<string, number>; rows: SpentRow[] };

/** Runs agents for these notes to their end. `turns`: each is prompted further after every turn, up to so many prompts. */
export async function spend(stack: Stack, items: string, { cap, turns }: { cap?: object; turns?: number }): Promise<Spent> {
  const followUps = turns === undefined ? {} : { turns, followUps: [{ prompt: 'Extract the emails of this note: {{text}}' }] };
  const run = await startText(
    stack,
    agentPipeline(items, { everySeconds: 0.25, ...(cap && { cap }), ...followUps }, { tolerate: { capped: '100%', failed: '100%' } }),
    {},
    own,
  );
  const { outputs = {}, error, state } = await run.ended(600_000);
  if (state !== 'done') throw new Error(`a run ended ${state}: ${error?.message}`);
  const rows: SpentRow[] = [];
  for await (const row of readResults(run.store, outputs['results'] as string))
    rows.push({ item: String(row['item']), turns: Number(row['turns']), cost: Number(row['cost_usd']) });
  return { cost: Number(outputs['cost']), statuses: outputs['statuses'] as Record<string, number>, rows };
}

/** What each of the notes costs after one prompt, after two, and so on: the same prompts have the same answers. */
export async function costsByTurns(stack: Stack, items: string, turns: number): Promise<number[][]> {
  const costs: number[][] = [];
  for (let most = 1; most <= turns; most++)
    for (const [at, { cost }] of (await spend(stack, items, { turns: most })).rows.entries()) (costs[at] ??= []).push(cost);
  return costs;
}

/** Further prompts that were sent to agents that had cost as much as their cap by then. */
export const promptedBeyond = (rows: readonly SpentRow[], costs: readonly (readonly number[])[], item: number): number =>
  rows.reduce((sum, { turns }, at) => sum + costs[at]!.slice(0, Math.max(0, turns - 1)).filter((cost) => cost >= item).length, 0);
