import { idInPlan } from '../../pipelines/id-in-plan.ts';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import pLimit from 'p-limit';
import type { PlanStep } from '../../pipelines/plan.ts';
import { readResults, resultsOf, resultSteps } from '../../store/results.ts';
import type { RunStore } from '../../store/run-store.ts';

/** What became of an item of `agent.run`. */
export type AgentItem = { item: string; status: string; turns: number; costUsd: number; artifacts: number; text: string; agent: string };

/** What a model has cost in a step; `items`: those of which it has worked at some. */
export type ModelCost = { model: string; items: number; inputTokens: number; outputTokens: number; costUsd: number };

/** A step that has launched agents: its first items, how many there are, and what they have cost by model. */
export type AgentStep = { step: string; items: AgentItem[]; count: number; models: ModelCost[] };

/** Items that a page holds, and usages that are read at a time. */
const mostItems = 2_000;
const atOnce = 16;

type Spend = { model: string; costUsd: number; [tokens: string]: unknown };

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number(value ?? 0));
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The usage that was kept with an item, also of an earlier run whose item was taken over; nothing where it is gone. */
async function spendIn(folder: unknown, runs: string): Promise<Spend[]> {
  if (typeof folder !== 'string' || !resolve(folder).startsWith(`${runs}${sep}`)) return [];
  try {
    const { spend } = JSON.parse(await readFile(join(folder, 'usage.json'), 'utf8')) as { spend?: Spend[] };
    return spend ?? [];
  } catch {
    return [];
  }
}

function add(models: Map<string, ModelCost>, spend: readonly Spend[]): void {
  for (const { model, costUsd, inputTokens, cacheCreationTokens, cacheReadTokens, outputTokens } of spend) {
    const sum = models.get(model) ?? { model, items: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
    models.set(model, {
      model,
      items: sum.items + 1,
      inputTokens: sum.inputTokens + numberOf(inputTokens) + numberOf(cacheCreationTokens) + numberOf(cacheReadTokens),
      outputTokens: sum.outputTokens + numberOf(outputTokens),
      costUsd: sum.costUsd + numberOf(costUsd),
    });
  }
}

/** What the agents of a run have done, from the results of its steps: of a step that goes on, of the chunks that have ended. */
export async function readAgents(store: RunStore, steps: readonly PlanStep[]): Promise<AgentStep[]> {
  const launching = new Set(steps.filter(({ use }) => use === 'agent.run').map(({ id }) => id));
  const runs = dirname(store.path());
  const found: AgentStep[] = [];
  for (const step of await resultSteps(store)) {
    if (!launching.has(idInPlan(step))) continue;
    const items: AgentItem[] = [];
    const models = new Map<string, ModelCost>();
    const limit = pLimit(atOnce);
    const reading: Promise<void>[] = [];
    let count = 0;
    for await (const row of readResults(store, resultsOf(store, step))) {
      count++;
      reading.push(limit(async () => add(models, await spendIn(row['folder'], runs))));
      if (reading.length === atOnce * 8) await Promise.all(reading.splice(0));
      if (items.length === mostItems) continue;
      const { item, status, turns, cost_usd: costUsd, artifacts, text, agent } = row;
      items.push({
        item: textOf(item),
        status: textOf(status),
        turns: numberOf(turns),
        costUsd: numberOf(costUsd),
        artifacts: numberOf(artifacts),
        text: textOf(text),
        agent: textOf(agent),
      });
    }
    await Promise.all(reading);
    found.push({ step, items, count, models: [...models.values()].toSorted((a, b) => b.costUsd - a.costUsd) });
  }
  return found;
}
