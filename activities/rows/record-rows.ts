import type { FateGroup } from '../../store/run-store.ts';
import type { ListedRow } from '../../store/row-lists.ts';
import type { StepContext } from '../frame/context.ts';
import { ledgerFate, triedRows, unendedRows, type Ended } from '../own/ledger-rows.ts';

/** What is known of the rows, for the ledger: those that ended alike together. */
export function recordRows(rows: readonly ListedRow[], ended: ReadonlyMap<number, Ended>, context: StepContext): void {
  const intents = context.intents();
  const alike = Map.groupBy(
    rows.flatMap(({ key }, at) => (ended.has(at) ? [{ key, at }] : [])),
    ({ at }) => JSON.stringify(ledgerFate(ended.get(at)!)),
  );
  context.fates([...alike].map(([fate, of]) => ({ items: of.map(({ key }) => key), fate: JSON.parse(fate) as FateGroup['fate'] })));
  const open = rows.filter((_, at) => !ended.has(at) && intents.state(String(at)).is === 'open');
  if (open.length > 0) context.fates([unendedRows(open)]);
  context.fates(triedRows(rows, intents), { ifOver: true });
}
