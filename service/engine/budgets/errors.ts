import { HttpError } from '../../core/errors.ts';

/** The codes of the text; their statuses are an assumption. */
const statuses = {
  invalid_budget_change: 400,
  budget_exists: 409,
  insufficient_funds: 402,
  project_budgets_disabled: 403,
  organization_budget_contract_funded: 403,
  member_limits_disabled: 403,
} as const;

/** Is it one of the six? */
export const isBudgetCode = (code: string | undefined): boolean => code !== undefined && Object.hasOwn(statuses, code);

export const budgetError = (code: keyof typeof statuses, says: string): HttpError => new HttpError(statuses[code], says, {}, code);
