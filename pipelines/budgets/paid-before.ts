import type { LedgerBudget } from './ledger-parts.ts';
import { momentsOf, type Begun, type Costed } from './begun.ts';

/** What a budget has paid of a run, in cents: between these. */
export type Share = { run: Costed; least: number; most: number };

/** What the organization's budget has paid for a project before that had one. `moments`: all at which the budget may have begun. */
export type PaidBefore = { budget: LedgerBudget; missing: number; moments: readonly Begun[] } & Begun;

/**
 * What the budgets of projects have not paid of their runs, the organization's may have, before they began. `missing`: what each has not
 * paid; `surplus`: what the organization's has paid beyond its own runs. `split`: what is left of that, where it is no more than rounding: a
 * run that two budgets have paid is rounded by each.
 */
export function paidBefore(
  projects: readonly { budget: LedgerBudget; runs: readonly Costed[]; missing: number }[],
  surplus: number,
): { paid: PaidBefore[]; split: number } {
  let left = surplus;
  const found: { budget: LedgerBudget; missing: number; moments: Begun[]; at: number }[] = [];
  for (const { budget, runs, missing } of projects) {
    if (missing < 0) continue;
    const moments = momentsOf(runs, missing);
    // The organization's budget must have paid it, but for what rounding takes from each part.
    const at = moments.findIndex(({ parts }) => left - missing >= -parts.length);
    if (at < 0) continue;
    left -= missing;
    found.push({ budget, missing, moments, at });
  }
  const splits = (): number => found.reduce((sum, { moments, at }) => sum + moments[at]!.parts.length, 0);
  // As many runs are taken to be paid by two as are needed, and no more.
  for (const each of found) while (Math.abs(left) > splits() && each.at < each.moments.length - 1) each.at++;
  const fits = Math.abs(left) <= splits();
  return {
    paid: found.map(({ budget, missing, moments, at }) => ({ budget, missing, moments, ...moments[at]! })),
    split: fits ? left : 0,
  };
}

/** What of its runs each budget has paid, whichever of its moments it began at. */
export function sharesOf(
  runsOf: ReadonlyMap<LedgerBudget, readonly Costed[]>,
  paid: readonly PaidBefore[],
  organization: LedgerBudget | undefined,
): ReadonlyMap<LedgerBudget, readonly Share[]> {
  const all = (run: Costed): Share => ({ run, least: run.cents, most: run.cents });
  // A part is rounded by itself.
  const some = (run: Costed): Share => ({ run, least: 0, most: run.cents + 1 });
  const shares = new Map([...runsOf].map(([budget, runs]): [LedgerBudget, Share[]] => [budget, runs.map(all)]));
  for (const { budget, moments } of paid) {
    const times = (of: (moment: Begun) => readonly Costed[]): Map<Costed, number> => {
      const found = new Map<Costed, number>();
      for (const moment of moments) for (const run of of(moment)) found.set(run, (found.get(run) ?? 0) + 1);
      return found;
    };
    const [whole, parts] = [times((moment) => moment.whole), times((moment) => moment.parts)];
    const own: Share[] = [];
    for (const run of runsOf.get(budget) ?? []) {
      const [gone = 0, split = 0] = [whole.get(run), parts.get(run)];
      const other = gone === moments.length ? all(run) : gone + split > 0 ? some(run) : undefined;
      if (gone < moments.length) own.push(other ?? all(run));
      if (other && organization) shares.set(organization, [...(shares.get(organization) ?? []), other]);
    }
    shares.set(budget, own);
  }
  return shares;
}
