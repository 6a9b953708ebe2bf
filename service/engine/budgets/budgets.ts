import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/new-id.ts';
import type { Records } from '../../core/records/database.ts';
import { setByUser } from '../by-user.ts';
import type { Owner } from '../files/folders.ts';
import { changeBudget, type BudgetChange } from './change.ts';
import { budgetError } from './errors.ts';
import { createFunds, type BudgetRow, type Contract } from './funds.ts';
import { createSpending } from './spending.ts';

/** Budgets of organizations and projects. What is called `find`, `list` and all that changes runs inside a transaction, because renewals fall due. */
export const createBudgets = (records: Records, clock: Clock) => {
  const funds = createFunds(records, clock);
  const spending = createSpending(records, clock, funds);
  return {
    ...spending,
    contractOf: funds.contractOf,
    setContract: (organizationId: string, contract: Partial<Contract>): void => funds.setContract(organizationId, contract),
    /** The budget of an organization by `organization`, or another of it by its id. */
    find(organizationId: string, id: string): BudgetRow | undefined {
      funds.renew(organizationId);
      const ofOrganization = funds.ofOrganization(organizationId);
      if (id === 'organization') return ofOrganization;
      return records.get<BudgetRow>('SELECT * FROM budgets WHERE id = ? AND organization_id = ?', id, organizationId);
    },
    /** All of an organization, its own one first. */
    list(organizationId: string): BudgetRow[] {
      funds.renew(organizationId);
      funds.ofOrganization(organizationId);
      return records.all<BudgetRow>('SELECT * FROM budgets WHERE organization_id = ? ORDER BY project_id IS NOT NULL, id', organizationId);
    },
    create({ organizationId }: Owner, projectId: string, { amountCents, ...change }: BudgetChange & { amountCents: number }): BudgetRow {
      funds.renew(organizationId);
      if (!funds.contractOf(organizationId).projectBudgets)
        throw budgetError('project_budgets_disabled', 'budgets of projects are turned off for this organization');
      if (records.get('SELECT 1 AS yes FROM budgets WHERE project_id = ?', projectId))
        throw budgetError('budget_exists', 'the project has a budget already: change it');
      const id = newId();
      records.run(
        "INSERT INTO budgets (id, organization_id, project_id, amount_cents, on_exhausted) VALUES (?, ?, ?, 0, 'block')",
        id,
        organizationId,
        projectId,
      );
      const find = () => records.get<BudgetRow>('SELECT * FROM budgets WHERE id = ?', id)!;
      changeBudget({ records, clock, funds }, find(), { ...change, amountCents });
      return find();
    },
    change: (budget: BudgetRow, change: BudgetChange): number => changeBudget({ records, clock, funds }, budget, change),
    /** Sets own limits, null clears; returns the number of members changed. */
    setLimits({ id, limits_enabled }: BudgetRow, entries: readonly { user: string; limitCents: number | null }[]): number {
      if (limits_enabled !== 1)
        throw budgetError('member_limits_disabled', 'member limits are not enabled on the budget: enable them by memberLimits.enabled');
      return setByUser(
        records,
        { table: 'budget_limits', of: 'budget_id', value: 'limit_cents' },
        id,
        entries.map(({ user, limitCents }) => ({ user, value: limitCents })),
      );
    },
  };
};

export type Budgets = ReturnType<typeof createBudgets>;
