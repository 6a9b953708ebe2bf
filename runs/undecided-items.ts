import { settle, type Settled } from '../pipelines/own/settle.ts';
import type { Plan, Reuse } from '../pipelines/plan.ts';
import type { Step } from '../pipelines/step.ts';
import { formerCalls, formerFates } from '../store/former-fates.ts';
import type { RunStore } from '../store/run-store.ts';

/** Own steps of effect `never`, and items of such sweeps, that a run may have done, and that nobody has spoken of: by step, their names. */
export async function undecidedItems(
  former: RunStore,
  plan: Plan,
  steps: Readonly<Record<string, Step>>,
  reuse: Reuse,
  settled: Readonly<Record<string, Settled>>,
): Promise<{ step: string; items: string[] }[]> {
  const found: { step: string; items: string[] }[] = [];
  for (const { id, use, kind } of plan.steps) {
    if (reuse[id] || !steps[use]?.own || steps[use].effect !== 'never') continue;
    if (kind === 'call') {
      // A single step is an item by the name of the step; only a person's word that it is to be done again helps: what it gave is not known.
      const open = [...formerCalls(former, id, use).values()].some(({ is }) => is === 'open');
      if (open && settled[id] !== 'again') found.push({ step: id, items: [id] });
      continue;
    }
    const fates = (await formerFates<{ status: string }>(former, id, use)) ?? new Map();
    const items = [...fates].flatMap(([key, fate]) => (settle(fate, settled[key]) === 'ask' ? [key] : []));
    if (items.length > 0) found.push({ step: id, items });
  }
  return found;
}
