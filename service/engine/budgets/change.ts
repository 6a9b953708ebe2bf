import type { Clock } from '../../core/clock.ts';
import type { Records } from '../../core/records/database.ts';
import { budgetError } from './errors.ts';
import type { BudgetRow, Funds } from './funds.ts';
import { periodOf, type Period } from '../../../contracts/instance/periods.ts';

export type BudgetChange = {
  amountCents?: number | undefined;
  onExhausted?: string | undefined;
  renewal?: { cadence: Period; amountCents: number } | null | undefined;
  memberLimits?:
    | { enabled?: boolean | undefined; defaultCents?: number | null | undefined; period?: Period | null | undefined }
    | undefined;
};

/** Does it move money, now or later? */
export const isFunding = ({ amountCents, renewal }: BudgetChange): boolean => amountCents !== undefined || renewal !== undefined;

const invalid = (says: string) => budgetError('invalid_budget_change', says);

/** Changes of one budget as one step: call inside a transaction, which a refusal takes back. Returns the number of budgets changed. */
export const changeBudget = (
  { records, clock, funds }: { records: Records; clock: Clock; funds: Funds },
  budget: BudgetRow,
  change: BudgetChange,
): number => {
  const { amountCents = budget.amount_cents, onExhausted = budget.on_exhausted, renewal, memberLimits = {} } = change;
  if (budget.project_id === null && (isFunding(change) || change.onExhausted !== undefined))
    throw budgetError(
      'organization_budget_contract_funded',
      'the organization budget is funded by its contract: memberLimits alone can be changed',
    );
  // Overspent budgets can be changed all the same.
  if (amountCents < budget.spent_cents && amountCents !== budget.amount_cents)
    throw invalid(`${budget.spent_cents} cents are spent: amountCents cannot be below`);
  if (renewal && renewal.amountCents === 0) throw invalid('a renewal of 0 cents is none: send renewal as null');
  const limits = {
    enabled: Number(memberLimits.enabled ?? budget.limits_enabled === 1),
    defaultCents: memberLimits.defaultCents === undefined ? budget.limit_default_cents : memberLimits.defaultCents,
    period: memberLimits.period === undefined ? budget.limit_period : memberLimits.period,
  };
  if (budget.project_id !== null && limits.defaultCents !== null && limits.period === null)
    throw invalid('a default limit of the members of a project needs a period: send memberLimits.period');
  const moved = amountCents - budget.amount_cents;
  if (moved !== 0) funds.move(budget, moved);
  const renewed =
    renewal === undefined || (renewal && renewal.cadence === budget.renewal_cadence)
      ? { cadence: budget.renewal_cadence, cents: renewal?.amountCents ?? budget.renewal_cents, at: budget.renews_at }
      : {
          cadence: renewal?.cadence ?? null,
          cents: renewal?.amountCents ?? null,
          at: renewal && periodOf(renewal.cadence, clock.now()).end,
        };
  const changed = records.run(
    `UPDATE budgets SET on_exhausted = ?1, renewal_cadence = ?2, renewal_cents = ?3, renews_at = ?4, limits_enabled = ?5, limit_default_cents = ?6, limit_period = ?7
     WHERE id = ?8 AND (on_exhausted IS NOT ?1 OR renewal_cadence IS NOT ?2 OR renewal_cents IS NOT ?3 OR limits_enabled IS NOT ?5 OR limit_default_cents IS NOT ?6 OR limit_period IS NOT ?7)`,
    onExhausted,
    renewed.cadence,
    renewed.cents,
    renewed.at,
    limits.enabled,
    limits.defaultCents,
    limits.period,
    budget.id,
  );
  return changed === 0 && moved !== 0 ? 1 : changed;
};
