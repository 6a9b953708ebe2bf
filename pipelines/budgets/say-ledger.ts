import { dollars } from '../../text/money.ts';
import { counted } from '../../text/units.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerBudget, LedgerKind, LedgerRow } from './ledger-parts.ts';

const isFinding = ({ kind }: LedgerRow): boolean => kind === 'unexplained' || kind === 'of member';

/** A finding in one line: the budget, the cents, and whom or what they are about. */
export const sayFinding = ({ budget, cents, run, model, member, says }: LedgerRow): string => {
  const about = [run && `run ${run}`, model && `model ${model}`, member && `member ${member}`].filter(Boolean).join(', ');
  return `${budget}: ${cents} cents${about === '' ? '' : ` (${about})`}: ${says}`;
};

const words: readonly [kind: LedgerKind, word: string][] = [
  ['moved', 'paid before projects had budgets'],
  ['split', 'rounding of runs that two budgets paid'],
  ['member', 'by members whose runs are not named'],
  ['under way', 'while it was read'],
  ['unexplained', 'unexplained'],
];

/** One line for each budget: what it says was spent, and what that is made of. */
export function sayLedger({ rows }: Ledger, budgets: readonly LedgerBudget[]): string[] {
  return budgets.map(({ name, spentCents }) => {
    const own = rows.filter(({ budget }) => budget === name);
    const sum = (kind: LedgerKind): number => own.reduce((total, row) => total + (row.kind === kind ? row.cents : 0), 0);
    const runs = own.filter(({ kind }) => kind === 'run');
    if (spentCents === 0 && own.length === 0) return `${name}: nothing was spent`;
    const rounding = runs.reduce((total, row) => total + (row.rounding ?? 0), 0);
    const parts = words.flatMap(([kind, word]) => (own.some((row) => row.kind === kind) ? [`${dollars(sum(kind))} ${word}`] : []));
    return [
      `${name}: ${dollars(spentCents)} spent: ${dollars(sum('run'))} by ${counted(runs.length, 'run')}, of which rounding ${rounding.toFixed(4)} cents`,
      ...parts,
    ].join('; ');
  });
}

/** The findings, a line each. */
export const sayFindings = ({ rows }: Ledger): string[] => rows.filter(isFinding).map(sayFinding);
