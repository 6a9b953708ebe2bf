import type { Clock } from '../../core/clock.ts';
import type { Records } from '../../core/records/database.ts';
import type { Owner } from '../files/folders.ts';
import type { BudgetRow, Funds } from './funds.ts';
import { centsOf, dayOf, nanoPerCent, periodOf } from '../../../contracts/instance/periods.ts';

/** Who spends, and for which project. */
export type Spender = Owner & { projectId: string | null };

/** Why nothing may be spent now, and the seconds until that may change. */
export type Blocked = { says: string; seconds?: number };

/** What was spent: as it is shown, each run rounded to cents, and to the billionth of a dollar. */
type Spent = { cents: number; nano: number };

const sums = 'SELECT coalesce(sum(cents), 0) AS cents, coalesce(sum(nano_usd), 0) AS nano FROM budget_charges';

/** Many runs that each cost less than half a cent are shown as none: what they cost together counts. */
const isReached = ({ cents, nano }: Spent, limitCents: number): boolean => cents >= limitCents || nano >= limitCents * nanoPerCent;

export const createSpending = (records: Records, clock: Clock, funds: Funds) => {
  /** The budget that pays: the project's where it has one, else the organization's. Call inside a transaction. */
  const payer = ({ organizationId, projectId }: Spender): BudgetRow => {
    funds.renew(organizationId);
    const ofProject = projectId === null ? undefined : records.get<BudgetRow>('SELECT * FROM budgets WHERE project_id = ?', projectId);
    return ofProject ?? funds.ofOrganization(organizationId);
  };
  /** What a member has spent in the period of the budget's limits; without one, ever. */
  const ofMember = ({ id, limit_period }: BudgetRow, userId: string): Spent => {
    const from = limit_period === null ? '' : dayOf(periodOf(limit_period, clock.now()).start);
    return records.get<Spent>(`${sums} WHERE budget_id = ? AND user_id = ? AND day >= ?`, id, userId, from)!;
  };
  const ofAll = ({ id }: BudgetRow): Spent => records.get<Spent>(`${sums} WHERE budget_id = ?`, id)!;
  const ownLimit = ({ id }: BudgetRow, userId: string): number | null =>
    records.get<{ limit_cents: number }>('SELECT limit_cents FROM budget_limits WHERE budget_id = ? AND user_id = ?', id, userId)
      ?.limit_cents ?? null;
  /** The limit that applies to a member; null: none. */
  const limitOf = (budget: BudgetRow, userId: string): number | null =>
    budget.limits_enabled === 1 ? (ownLimit(budget, userId) ?? budget.limit_default_cents) : null;
  const secondsUntil = (at: number): number => Math.max(1, Math.ceil((at - clock.now()) / 1_000));

  return {
    spentBy: (budget: BudgetRow, userId: string): number => ofMember(budget, userId).cents,
    ownLimit,
    limitOf,
    /** Why a spender may spend nothing now; undefined: nothing is in the way. Call inside a transaction. */
    blocked(spender: Spender): Blocked | undefined {
      const budget = payer(spender);
      const limit = limitOf(budget, spender.userId);
      if (limit !== null && isReached(ofMember(budget, spender.userId), limit))
        return {
          says: `the limit of ${limit} cents of this member is reached`,
          ...(budget.limit_period === null ? {} : { seconds: secondsUntil(periodOf(budget.limit_period, clock.now()).end) }),
        };
      if (budget.on_exhausted === 'block' && isReached(ofAll(budget), budget.amount_cents))
        return {
          says: `the budget of the ${budget.project_id === null ? 'organization' : 'project'} is exhausted`,
          ...(budget.renews_at === null ? {} : { seconds: secondsUntil(budget.renews_at) }),
        };
      return undefined;
    },
    /**
     * Books what a run has cost since the last time, in billionths of a US dollar; inside the transaction that notes the cost. A run is
     * rounded to cents over all that it has cost, so that its bookings add up to its rounded cost at any time.
     */
    charge(spender: Spender, { agentId, nanoUsd }: { agentId: string; nanoUsd: number }): void {
      const budget = payer(spender);
      const booked = records.get<{ nano: number; cents: number }>(
        'SELECT coalesce(sum(nano_usd), 0) AS nano, coalesce(sum(cents), 0) AS cents FROM budget_charges WHERE run_id = ? AND budget_id = ?',
        agentId,
        budget.id,
      )!;
      const cents = centsOf(booked.nano + nanoUsd) - booked.cents;
      records.run(
        `INSERT INTO budget_charges (run_id, budget_id, user_id, day, nano_usd, cents) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (run_id, budget_id, user_id, day) DO UPDATE SET nano_usd = nano_usd + excluded.nano_usd, cents = cents + excluded.cents`,
        agentId,
        budget.id,
        spender.userId,
        dayOf(clock.now()),
        nanoUsd,
        cents,
      );
      records.run('UPDATE budgets SET spent_cents = spent_cents + ? WHERE id = ?', cents, budget.id);
    },
    /** What runs have cost together, in billionths of a dollar, and how many they are. */
    costOf(runs: readonly string[]): number {
      return runs.reduce(
        (sum, run) =>
          sum + records.get<{ nano: number }>('SELECT coalesce(sum(nano_usd), 0) AS nano FROM budget_charges WHERE run_id = ?', run)!.nano,
        0,
      );
    },
  };
};

export type Spending = ReturnType<typeof createSpending>;
