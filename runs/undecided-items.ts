import { saidOf, settle, type Settled } from '../pipelines/own/settle.ts';
import { inside, type Plan, type Reuse } from '../pipelines/plan.ts';
import { isUnclearRow, rowActs } from '../pipelines/row-effects.ts';
import type { Step } from '../pipelines/step.ts';
import { rowsLoop } from '../pipelines/steps/rows-loop.ts';
import { formerCall } from '../store/former-calls.ts';
import { formerFates } from '../store/former-fates.ts';
import { formerRows } from '../store/former-rows.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import type { NamedFormer } from './former-names.ts';

/** A step that a person has to speak of: of its items, or, with the reason, of all of it where the records of the run are gone. */
export type UndecidedStep = { step: string; run: string; items: string[]; why?: string };

/** Own steps of effect `never`, and items of such sweeps, that earlier runs (newest first) may have done, and that nobody has spoken of. */
export async function undecidedItems(
  runs: readonly NamedFormer[],
  plan: Plan,
  steps: Readonly<Record<string, Step>>,
  reuse: Reuse,
  settled: Readonly<Record<string, Settled>>,
): Promise<UndecidedStep[]> {
  const found: UndecidedStep[] = [];
  const former = runs.map((named) => named.former);
  for (const { id, use, kind } of plan.steps) {
    if (use === rowsLoop.name && typeof reuse[id] !== 'object' && rowActs(inside(plan, id), steps)) {
      const undecided = await undecidedRows(former, id, settled);
      if (undecided) found.push(undecided);
    }
    if (typeof reuse[id] === 'object' || !steps[use]?.own || steps[use].effect !== 'never') continue;
    const unclear = runs.find((named) => named.unclear.includes(id));
    if (unclear && saidOf(settled, id) !== 'again') {
      const why = `which of its steps of ${use} this one was is not known: give it the name that it had there`;
      found.push({ step: id, items: [id], run: unclear.former.run, why });
      continue;
    }
    if (kind !== 'sweep') {
      // A single step is an item by the name of the step; only a person's word that it is to be done again helps: what it gave is not known.
      const { open, lost } = await formerCall(former, { step: id }, use);
      const run = lost?.run ?? open;
      if (run !== undefined && saidOf(settled, id) !== 'again') found.push({ step: id, items: [id], run, ...lost });
      continue;
    }
    const { fates, lost, lostLast } = await formerFates<{ status: string }>(former, { step: id }, use);
    if (lost && lostLast) {
      if (saidOf(settled, id) !== 'again') found.push({ step: id, items: [id], ...lost });
      continue;
    }
    // Of lost items the worker knows which are still listed.
    const open = [...fates].filter(([key, fate]) => fate.is !== 'lost' && settle(fate, saidOf(settled, key)) === 'ask');
    if (open.length > 0) found.push({ step: id, run: open[0]![1].run, items: open.map(([key]) => key) });
  }
  return found;
}

type Fate = { status: string };

/** Rows of a loop that earlier runs may have done. */
async function undecidedRows(
  former: readonly FormerRun[],
  step: string,
  settled: Readonly<Record<string, Settled>>,
): Promise<UndecidedStep | undefined> {
  const open = new Map<string, string>();
  // Of rows that the newest run has not the worker knows whether they are listed.
  const newest = async () => (await formerRows<Fate>(former, { step })).map((chain) => ('why' in chain ? chain : chain[0]!));
  const all = await newest();
  for (const known of all) {
    if ('why' in known) {
      if (saidOf(settled, step) !== 'again') return { step, items: [step], ...known };
    } else
      for await (const row of known.rows) if (isUnclearRow(row) && saidOf(settled, row.key) === undefined) open.set(row.key, known.run);
  }
  // What one run does not know another one may have settled.
  if (open.size > 0 && all.length > 1)
    for (const known of await newest())
      if ('rows' in known) for await (const row of known.rows) if (row.fate && !isUnclearRow(row)) open.delete(row.key);
  const [run] = open.values();
  return run === undefined ? undefined : { step, run, items: [...open.keys()] };
}
