import { settle, type Settled } from '../pipelines/own/settle.ts';
import type { Plan, Reuse } from '../pipelines/plan.ts';
import type { Step } from '../pipelines/step.ts';
import { formerFates } from '../store/former-fates.ts';
import type { RunStore } from '../store/run-store.ts';

/** Items of own sweeps of effect `never` that a run may have done, and that nobody has spoken of: by step, their names. */
export async function undecidedItems(
  former: RunStore,
  plan: Plan,
  steps: Readonly<Record<string, Step>>,
  reuse: Reuse,
  settled: Readonly<Record<string, Settled>>,
): Promise<{ step: string; items: string[] }[]> {
  const found: { step: string; items: string[] }[] = [];
  for (const { id, use, kind } of plan.steps) {
    if (kind !== 'sweep' || reuse[id] || !steps[use]?.own || steps[use].effect !== 'never') continue;
    const fates = (await formerFates<{ status: string }>(former, id, use)) ?? new Map();
    const items = [...fates].flatMap(([key, fate]) => (settle(fate, settled[key]) === 'ask' ? [key] : []));
    if (items.length > 0) found.push({ step: id, items });
  }
  return found;
}
