import type { instance } from '../../../contracts/instance/index.ts';
import { HttpError, notFound } from '../../core/errors.ts';
import { administers, findOrganization } from '../../core/records/organizations.ts';
import { isBudgetCode } from '../../engine/budgets/errors.ts';
import { isFunding, type BudgetChange } from '../../engine/budgets/change.ts';
import { left, type BudgetRow } from '../../engine/budgets/funds.ts';
import { periodOf } from '../../../contracts/instance/periods.ts';
import type { Owner } from '../../engine/files/folders.ts';
import type { Handlers } from '../../http/handlers.ts';
import { checkBatch, membersPage } from './members-page.ts';
import type { InstanceState } from './state.ts';

type Person = { id: string; email: string; name: string };

export const createBudgetOperations = ({
  records,
  clock,
  budgets,
  projects,
  readings,
}: InstanceState): Handlers<typeof instance>['budgets'] => {
  /** What the six codes are refused with is not shown: by the status of each, or as any request that does not fit. */
  const refusing = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof HttpError) || !isBudgetCode(error.code) || readings.of('budget-statuses') === 'by-code') throw error;
      throw new HttpError(400, error.detail, error.headers, error.code);
    }
  };
  const parentOf = ({ organization_id, project_id }: BudgetRow): string | null =>
    project_id === null ? null : budgets.find(organization_id, 'organization')!.id;
  const nameOf = ({ organization_id, project_id }: BudgetRow): string =>
    project_id === null
      ? findOrganization(records, organization_id)!.nickname
      : records.get<{ name: string }>('SELECT name FROM work_projects WHERE id = ?', project_id)!.name;
  const view = (row: BudgetRow) => ({
    id: row.id,
    name: nameOf(row),
    parentId: parentOf(row),
    scope: {
      type: row.project_id === null ? 'organization' : 'project',
      projectBudgetsEnabled: budgets.contractOf(row.organization_id).projectBudgets,
    },
    funding: {
      amountCents: row.amount_cents,
      spentCents: row.spent_cents,
      remainingCents: left(row),
      renewal: row.renewal_cadence === null ? null : { cadence: row.renewal_cadence, amountCents: row.renewal_cents! },
    },
    onExhausted: row.on_exhausted,
    memberLimits: {
      enabled: row.limits_enabled === 1,
      defaultCents: row.limit_default_cents,
      period: row.limit_period,
      resetsAt: row.limit_period === null ? null : new Date(periodOf(row.limit_period, clock.now()).end).toISOString(),
    },
  });
  const mayAdminister = (caller: Owner, { project_id }: BudgetRow): boolean =>
    administers(records, caller) || (project_id !== null && projects.roleOf(project_id, caller.userId) === 'admin');
  /** 404 where the caller does not administer it, as where there is none. */
  const administered = (caller: Owner, id: string): BudgetRow => {
    const budget = budgets.find(caller.organizationId, id);
    if (!budget || !mayAdminister(caller, budget)) throw notFound('budget', id);
    return budget;
  };
  const mayFund = (caller: Owner, change: BudgetChange): void => {
    if (isFunding(change) && !administers(records, caller))
      throw new HttpError(403, 'funding comes from the organization budget, and needs an administrator of the organization');
  };
  const memberView =
    (budget: BudgetRow) =>
    ({ id, email, name }: Person) => {
      const effectiveLimitCents = budgets.limitOf(budget, id);
      const spentCents = budgets.spentBy(budget, id);
      const status = effectiveLimitCents === null ? 'unlimited' : spentCents >= effectiveLimitCents ? 'exceeded' : 'ok';
      return { id, email, name, limitCents: budgets.ownLimit(budget, id), effectiveLimitCents, spentCents, status };
    };
  /** Users whom a budget covers, behind an id. */
  const covered = ({ organization_id, project_id }: BudgetRow, behind = '', count = -1): Person[] =>
    records.all<Person>(
      `SELECT users.id, email, name FROM users JOIN ${project_id === null ? 'memberships' : 'work_members'} AS members ON members.user_id = users.id
       WHERE ${project_id === null ? 'members.organization_id' : 'members.project_id'} = ? AND users.id > ? ORDER BY users.id LIMIT ?`,
      project_id ?? organization_id,
      behind,
      count,
    );
  return {
    list: ({ scope, projectId }, caller) =>
      records.transaction(() => {
        const seen = budgets
          .list(caller.organizationId)
          .filter((each) => mayAdminister(caller, each))
          .filter(({ project_id }) => scope === undefined || (scope === 'organization') === (project_id === null))
          .filter(({ project_id }) => projectId === undefined || project_id === projectId);
        return { data: seen.map(view), nextCursor: null, totalCount: seen.length };
      }),
    create({ projectId, ...change }, caller) {
      projects.readable(caller, projectId);
      if (!projects.administered(caller, projectId)) throw new HttpError(403, 'the budget of a project needs its role admin');
      mayFund(caller, change.amountCents > 0 ? change : { renewal: change.renewal ?? undefined });
      const { requestId, userId, organizationId } = caller;
      const subject = `budget of project/${projectId}`;
      return refusing(() =>
        records.effect({ requestId, operation: 'instance.budgets.create', subject, content: change }, () => ({
          changed: 1,
          value: view(budgets.create({ userId, organizationId }, projectId, change)),
        })),
      );
    },
    get: ({ id }, caller) => records.transaction(() => view(administered(caller, id))),
    update({ id, ...change }, caller) {
      const budget = records.transaction(() => administered(caller, id));
      if (budget.project_id !== null) mayFund(caller, change);
      const { requestId } = caller;
      return refusing(() =>
        records.effect({ requestId, operation: 'instance.budgets.update', subject: `budget/${budget.id}`, content: change }, () => ({
          changed: budgets.change(administered(caller, id), change),
          value: view(administered(caller, id)),
        })),
      );
    },
    members: ({ id, ...asked }, caller) =>
      records.transaction(() => {
        const budget = administered(caller, id);
        return membersPage(asked, (behind, count) => covered(budget, behind, count), memberView(budget), covered(budget).length);
      }),
    setMembers({ id, members: entries }, caller) {
      const budget = records.transaction(() => administered(caller, id));
      const users = new Set(covered(budget).map((each) => each.id));
      checkBatch(entries, ({ user }) => (users.has(user) ? undefined : 'is no member of the budget'));
      const { requestId } = caller;
      const content = Object.fromEntries(entries.map(({ user, limitCents }) => [user, limitCents]));
      const subject = `members of budget/${budget.id}`;
      return refusing(() =>
        records.effect({ requestId, operation: 'instance.budgets.setMembers', subject, content }, () => ({
          changed: budgets.setLimits(administered(caller, id), entries),
          value: covered(budget).map(memberView(budget)),
        })),
      );
    },
  };
};
