import { nanoPerCent, type Period } from '../../contracts/instance/periods.ts';

/** What one model of a run has cost, in billionths of a US dollar. */
export type ModelCost = { model: string; nano: number };

/** A run with what it has cost. Times are ISO 8601; `member`: id of the user whose it is, null where nobody says. */
export type LedgerRun = {
  run: string;
  member: string | null;
  project: string | null;
  createdAt: string | null;
  updatedAt: string | null;
  /** It may cost more while nobody looks. */
  underWay: boolean;
  /** It was deleted, and stands here as it was last seen. */
  gone: boolean;
  models: ModelCost[];
};

/** A budget with what it says was spent. `project`: null of the organization's. */
export type LedgerBudget = {
  id: string;
  name: string;
  project: string | null;
  spentCents: number;
  /** Of the limits of its members, and when their window ends. */
  period: Period | null;
  resetsAt: string | null;
  members: { id: string; email: string | null; spentCents: number }[];
};

/**
 * A part of what a budget says was spent. All rows of a budget but `model` and `of member` add up to it.
 * - `run`: what a run has cost, rounded once; `model`: what one model of it has cost, of which it is made.
 * - `moved`: paid by the organization's budget, before the project had one, or at that moment.
 * - `split`: a run that two budgets have paid is rounded twice.
 * - `member`: spent by a member whose runs nobody has named.
 * - `under way`: spent while it was read.
 * - `unexplained`: by nothing of these; `of member`: what a member is said to have spent, and has not.
 */
export type LedgerKind = 'run' | 'model' | 'moved' | 'split' | 'member' | 'under way' | 'unexplained' | 'of member';

export type LedgerRow = {
  budget: string;
  kind: LedgerKind;
  run: string | null;
  model: string | null;
  member: string | null;
  usd: number | null;
  cents: number;
  /** Cents that rounding has added to a run, between -0.5 and 0.5. */
  rounding: number | null;
  says: string;
};

export const ledgerColumns = {
  budget: 'VARCHAR',
  kind: 'VARCHAR',
  run: 'VARCHAR',
  model: 'VARCHAR',
  member: 'VARCHAR',
  usd: 'DOUBLE',
  cents: 'BIGINT',
  rounding: 'DOUBLE',
  says: 'VARCHAR',
} as const;

export const nanoOf = ({ models }: Pick<LedgerRun, 'models'>): number => models.reduce((sum, { nano }) => sum + nano, 0);

export const toUsd = (nano: number): number => nano / 1e9;

/** Cents that rounding has added. */
export const roundingOf = (nano: number, cents: number): number => (cents * nanoPerCent - nano) / nanoPerCent;
