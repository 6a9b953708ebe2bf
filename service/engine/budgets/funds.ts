import { newId } from '../../core/new-id.ts';
import type { Clock } from '../../core/clock.ts';
import type { Records } from '../../core/records/database.ts';
import { budgetError } from './errors.ts';
import { periodOf, type Period } from '../../../contracts/instance/periods.ts';

export type BudgetRow = {
  id: string;
  organization_id: string;
  /** Null: the organization's. */
  project_id: string | null;
  amount_cents: number;
  spent_cents: number;
  on_exhausted: string;
  renewal_cadence: Period | null;
  renewal_cents: number | null;
  /** Epoch milliseconds by the service's clock. */
  renews_at: number | null;
  limits_enabled: number;
  limit_default_cents: number | null;
  limit_period: Period | null;
};

export type Contract = { amountCents: number; projectBudgets: boolean };

/** What the contract of an organization gives it here, until the control plane says something else: 10,000 dollars. */
const usualContract: Contract = { amountCents: 1_000_000, projectBudgets: true };

export const left = ({ amount_cents, spent_cents }: BudgetRow): number => amount_cents - spent_cents;

/**
 * Money moves between the budget of an organization and those of its projects, and nowhere else: the amounts of all of them are the
 * contract's at any time. Every function is called inside a transaction.
 */
export const createFunds = (records: Records, clock: Clock) => {
  const contractOf = (organizationId: string): Contract => {
    const row = records.get<{ amount_cents: number; project_budgets: number }>(
      'SELECT * FROM budget_contracts WHERE organization_id = ?',
      organizationId,
    );
    return row ? { amountCents: row.amount_cents, projectBudgets: row.project_budgets === 1 } : usualContract;
  };
  const ofOrganization = (organizationId: string): BudgetRow => {
    const find = () => records.get<BudgetRow>('SELECT * FROM budgets WHERE organization_id = ? AND project_id IS NULL', organizationId);
    const known = find();
    if (known) return known;
    records.run(
      "INSERT INTO budgets (id, organization_id, amount_cents, on_exhausted) VALUES (?, ?, ?, 'block')",
      newId(),
      organizationId,
      contractOf(organizationId).amountCents,
    );
    return find()!;
  };
  /** Moves cents from the organization's budget to that of a project; a negative number back. */
  const move = (project: BudgetRow, cents: number): void => {
    const organization = ofOrganization(project.organization_id);
    // What is given back is taken also where more is spent than there was.
    if (cents > 0 && cents > left(organization))
      throw budgetError(
        'insufficient_funds',
        `the organization budget has ${left(organization)} cents left, and cannot cover ${cents}: lower amountCents`,
      );
    records.run('UPDATE budgets SET amount_cents = amount_cents - ? WHERE id = ?', cents, organization.id);
    records.run('UPDATE budgets SET amount_cents = amount_cents + ? WHERE id = ?', cents, project.id);
  };
  return {
    contractOf,
    ofOrganization,
    move,
    /** Changes the contract; what it gives more or less is the organization's budget's. */
    setContract(organizationId: string, { amountCents, projectBudgets }: Partial<Contract>): void {
      const budget = ofOrganization(organizationId);
      const before = contractOf(organizationId);
      const after = { amountCents: amountCents ?? before.amountCents, projectBudgets: projectBudgets ?? before.projectBudgets };
      const given = after.amountCents - before.amountCents;
      // One that is overspent can be given more, however much that leaves open.
      if (given < 0 && left(budget) + given < 0)
        throw budgetError('invalid_budget_change', 'what is spent and given to projects is more than the new contract');
      records.run(
        `INSERT INTO budget_contracts (organization_id, amount_cents, project_budgets) VALUES (?, ?, ?)
         ON CONFLICT (organization_id) DO UPDATE SET amount_cents = excluded.amount_cents, project_budgets = excluded.project_budgets`,
        organizationId,
        after.amountCents,
        Number(after.projectBudgets),
      );
      records.run('UPDATE budgets SET amount_cents = amount_cents + ? WHERE id = ?', given, budget.id);
    },
    /** Renewals that are due, in the order of their times: each adds its amount, where the organization's budget covers it (assumption). */
    renew(organizationId: string): void {
      for (;;) {
        const due = records.get<BudgetRow>(
          'SELECT * FROM budgets WHERE organization_id = ? AND renews_at <= ? ORDER BY renews_at, id LIMIT 1',
          organizationId,
          clock.now(),
        );
        if (!due) return;
        if (due.renewal_cents! <= left(ofOrganization(organizationId))) move(due, due.renewal_cents!);
        records.run('UPDATE budgets SET renews_at = ? WHERE id = ?', periodOf(due.renewal_cadence!, due.renews_at!).end, due.id);
      }
    },
  };
};

export type Funds = ReturnType<typeof createFunds>;
