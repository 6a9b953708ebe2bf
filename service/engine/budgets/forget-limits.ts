import type { Records } from '../../core/records/database.ts';

/** Whom a budget does not cover any more: members of a project, or of an organization. */
type Left = { projectId: string } | { organizationId: string };

/** Takes away the own limits of users who have left: they do not come back with them. Call inside the transaction in which they leave. */
export const forgetLimits = (records: Records, left: Left, users: readonly string[]): void => {
  const [budget, id] =
    'projectId' in left ? ['project_id = ?', left.projectId] : ['organization_id = ? AND project_id IS NULL', left.organizationId];
  for (const user of users)
    records.run(`DELETE FROM budget_limits WHERE user_id = ? AND budget_id IN (SELECT id FROM budgets WHERE ${budget})`, user, id);
};
