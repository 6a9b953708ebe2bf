import { centsOf, periodOf } from '../../contracts/instance/periods.ts';
import type { Costed } from './begun.ts';
import { changedUsage } from './changed-usage.ts';
import { nanoOf, roundingOf, toUsd, type LedgerBudget, type LedgerKind, type LedgerRow, type LedgerRun } from './ledger-parts.ts';
import { paidBefore, sharesOf, type Share } from './paid-before.ts';

export type LedgerInput = {
  /** The organization's among them, where the caller sees it. */
  budgets: readonly LedgerBudget[];
  runs: readonly LedgerRun[];
  /** Members of whom all runs are named. */
  known: ReadonlySet<string>;
  /** Runs as the ledger before this one had them. */
  before: ReadonlyMap<string, LedgerRun>;
  /** Budgets went on changing while they were read. */
  moving: boolean;
};

export type Ledger = {
  rows: LedgerRow[];
  spentCents: number;
  /** Without their signs: what is missing here does not make up for what is too much there. */
  unexplainedCents: number;
};

type Part = Partial<Omit<LedgerRow, 'budget' | 'kind' | 'cents'>>;

const nothing: Omit<LedgerRow, 'budget' | 'kind' | 'cents'> = { run: null, model: null, member: null, usd: null, rounding: null, says: '' };

const named = (runs: readonly Costed[]): string => runs.map(({ run }) => run).join(', ');

/** Accounts for every cent that budgets say was spent: by run and model, by member, by what rounding adds; the rest is unexplained. */
export function reconcile({ budgets, runs, known, before, moving }: LedgerInput): Ledger {
  const rows: LedgerRow[] = [];
  const byProject = new Map(budgets.map((budget) => [budget.project, budget]));
  const organization = byProject.get(null);
  const left = new Map(budgets.map((budget) => [budget, budget.spentCents]));
  const add = (budget: LedgerBudget, kind: LedgerKind, cents: number, part: Part): void => {
    rows.push({ ...nothing, budget: budget.name, kind, cents, ...part });
    if (kind !== 'model' && kind !== 'of member') left.set(budget, left.get(budget)! - cents);
  };

  const runsOf = new Map<LedgerBudget, Costed[]>(budgets.map((budget) => [budget, []]));
  for (const run of runs) {
    const budget = byProject.get(run.project) ?? organization;
    if (!budget) continue;
    const nano = nanoOf(run);
    const cents = centsOf(nano);
    const { run: id, member } = run;
    runsOf.get(budget)!.push({ ...run, cents });
    const says = run.gone ? 'deleted: as it was last seen' : '';
    add(budget, 'run', cents, { run: id, member, usd: toUsd(nano), rounding: roundingOf(nano, cents), says });
    for (const { model, nano: each } of run.models) add(budget, 'model', 0, { run: id, model, member, usd: toUsd(each) });
    for (const changed of changedUsage(run, before.get(id))) add(budget, 'unexplained', changed.cents, { run: id, member, ...changed });
  }

  const projects = budgets.flatMap((budget) =>
    budget.project === null ? [] : [{ budget, runs: runsOf.get(budget)!, missing: -left.get(budget)! }],
  );
  const { paid, split } = organization ? paidBefore(projects, left.get(organization)!) : { paid: [], split: 0 };
  for (const { budget, missing, whole, parts } of paid) {
    const move = (cents: number, part: Part): void => {
      add(budget, 'moved', -cents, part);
      add(organization!, 'moved', cents, part);
    };
    for (const { run, member, cents } of whole) move(cents, { run, member, says: `paid before ${budget.name} had a budget` });
    const inPart = missing - whole.reduce((sum, { cents }) => sum + cents, 0);
    if (inPart !== 0) move(inPart, { run: named(parts), says: `paid in part before ${budget.name} had a budget` });
  }
  if (split !== 0) {
    const both = named(paid.flatMap(({ parts }) => parts));
    add(organization!, 'split', split, { run: both, says: 'paid by two budgets, each of which rounds what it has paid' });
  }

  for (const budget of budgets) {
    for (const { id, email, spentCents } of budget.members) {
      if (budget.period !== null || known.has(id) || spentCents === 0 || spentCents > left.get(budget)!) continue;
      add(budget, 'member', spentCents, { member: email ?? id, says: 'whose runs are not named here' });
    }
    const rest = left.get(budget)!;
    const underWay = runsOf.get(budget)!.filter((run) => run.underWay);
    if (moving && rest > 0 && underWay.length > 0)
      add(budget, 'under way', rest, { run: named(underWay), says: 'spent while it was read' });
    else if (rest !== 0) add(budget, 'unexplained', rest, { says: saysOfRest(rest, budget, known) });
  }
  const shares = sharesOf(runsOf, paid, organization);
  for (const budget of budgets)
    for (const { cents, ...part } of ofMembers(budget, shares.get(budget) ?? [], known)) add(budget, 'of member', cents, part);

  const unexplained = rows.filter(({ kind }) => kind === 'unexplained' || kind === 'of member');
  return {
    rows,
    spentCents: budgets.reduce((sum, { spentCents }) => sum + spentCents, 0),
    unexplainedCents: unexplained.reduce((sum, { cents }) => sum + Math.abs(cents), 0),
  };
}

function saysOfRest(cents: number, { period }: LedgerBudget, known: ReadonlySet<string>): string {
  if (cents < 0) return 'less is spent than its runs have cost';
  const more = 'more is spent than the runs have cost that are named here';
  if (known.size === 0) return `${more}: name the user of the key (caller), and the runs of others (runs)`;
  return period === null ? more : `${more}; what a member has spent is known of its ${period} window alone`;
}

/** What members are said to have spent in the window of the budget's limits, against their runs: one that began before it counts in part. */
function ofMembers(
  { members, period, resetsAt }: LedgerBudget,
  shares: readonly Share[],
  known: ReadonlySet<string>,
): (Part & { cents: number })[] {
  // The end of the window is the service's word: its clock is not this one.
  const start = period === null || resetsAt === null ? '' : new Date(periodOf(period, Date.parse(resetsAt) - 1).start).toISOString();
  return members.flatMap(({ id, email, spentCents }) => {
    if (!known.has(id)) return [];
    const own = shares.filter(({ run }) => run.member === id && (run.updatedAt ?? '~') >= start);
    const least = own.reduce((sum, { run, least: cents }) => sum + ((run.createdAt ?? '') >= start ? cents : 0), 0);
    const most = own.reduce((sum, { most: cents }) => sum + cents, 0);
    if (spentCents >= least && spentCents <= most) return [];
    const window = period === null ? '' : ` in its ${period} window`;
    const says = `has spent ${spentCents} cents${window} by the budget, and ${least === most ? least : `${least} to ${most}`} by the runs`;
    return [{ cents: spentCents > most ? spentCents - most : spentCents - least, member: email ?? id, says }];
  });
}
