import { settle, type Settled } from '../pipelines/own/settle.ts';
import type { FormerRun, Plan, Reuse } from '../pipelines/plan.ts';
import type { Step } from '../pipelines/step.ts';
import { forgottenBy, formerCall, formerFates } from '../store/former-fates.ts';

/** A step that a person has to speak of: of its items, or of all of it where the store of the run that came to it is gone. */
export type UndecidedStep = { step: string; run: string; items: string[]; gone: boolean };

/** Own steps of effect `never`, and items of such sweeps, that earlier runs (newest first) may have done, and that nobody has spoken of. */
export async function undecidedItems(
  former: readonly FormerRun[],
  plan: Plan,
  steps: Readonly<Record<string, Step>>,
  reuse: Reuse,
  settled: Readonly<Record<string, Settled>>,
): Promise<UndecidedStep[]> {
  const found: UndecidedStep[] = [];
  for (const { id, use, kind } of plan.steps) {
    if (reuse[id] || !steps[use]?.own || steps[use].effect !== 'never') continue;
    const gone = settled[id] === 'again' ? undefined : await forgottenBy(former, id, use);
    if (gone !== undefined) {
      found.push({ step: id, run: gone, items: [id], gone: true });
      continue;
    }
    if (kind === 'call') {
      // A single step is an item by the name of the step; only a person's word that it is to be done again helps: what it gave is not known.
      const { open } = formerCall(former, id, use);
      if (open !== undefined && settled[id] !== 'again') found.push({ step: id, run: open, items: [id], gone: false });
      continue;
    }
    const open = [...(await formerFates<{ status: string }>(former, id, use))].filter(
      ([key, fate]) => settle(fate, settled[key]) === 'ask',
    );
    if (open.length > 0) found.push({ step: id, run: open[0]![1].run, items: open.map(([key]) => key), gone: false });
  }
  return found;
}
