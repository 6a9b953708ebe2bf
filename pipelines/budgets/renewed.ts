import type { BudgetThere } from '../../client/budgets-there.ts';
import { isPeriod, periodsBegun } from '../../contracts/instance/periods.ts';
import { canonical } from '../../text/canonical-json.ts';
import { counted } from '../../text/units.ts';
import type { DesiredBudget } from './desired.ts';

/** That a budget had an amount exactly as a file names it, and when: epoch milliseconds by the service's clock. */
export type AmountSeen = { amountCents: number; at: number };

/**
 * Whether an amount is the one that is named and what renewals have added since it was there. Nothing of the API says when a budget was
 * renewed: no more renewals are taken for that than were due since the amount was `seen`. `because`: why whole renewals are none.
 */
export function renewedSince(
  { amountCents, renewal, at }: BudgetThere,
  wanted: { amountCents: number } & Pick<DesiredBudget, 'renewal'>,
  seen: AmountSeen | undefined,
): { renewed: boolean; because?: string } {
  const added = amountCents - wanted.amountCents;
  const goesOn = renewal !== null && (wanted.renewal === undefined || canonical(renewal) === canonical(wanted.renewal));
  if (!goesOn || added <= 0 || added % renewal.amountCents !== 0) return { renewed: false };
  const found = counted(added / renewal.amountCents, 'renewal');
  const keep = `to keep what is there, write amountCents: ${amountCents}`;
  if (!isPeriod(renewal.cadence))
    return { renewed: false, because: `${found} more; when ${renewal.cadence} ones are due is not known: ${keep}` };
  if (!seen) return { renewed: false, because: `${found} more; the run store does not know when the amount was the named one: ${keep}` };
  // Another amount was named since.
  if (seen.amountCents !== wanted.amountCents) return { renewed: false };
  const due = periodsBegun(renewal.cadence, seen.at, at);
  if (added / renewal.amountCents <= due) return { renewed: true };
  const since = new Date(seen.at).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    renewed: false,
    because: `${found} more, and ${due === 0 ? 'none was' : `${due} ${due === 1 ? 'was' : 'were'}`} due since ${since}: ${keep}`,
  };
}
