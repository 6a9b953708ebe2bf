import type { FailureDetails } from '../../errors/failure-details.ts';
import type { FateGroup } from '../../store/run-store.ts';
import type { StepContext } from '../frame/context.ts';
import type { Intents } from '../../store/intents.ts';

/** An item by its name. */
type Named = { readonly key: string };

/** Why a row has failed: the first step that did, as a history would have it. */
export type RowFailure = { step: string; type: string; message: string; details?: FailureDetails };

/**
 * How an item ended; `attempts` counts those that were no waits. `goesOn`: what it has begun is there, and a rerun goes on with it instead
 * of beginning it anew. `failure`: of a row, from which a later attempt knows why its loop has failed.
 */
export type Ended = {
  status: string;
  reason?: string;
  request_id?: string;
  attempts: number;
  result?: Record<string, unknown>;
  goesOn?: true;
  failure?: RowFailure;
};

/** What the ledger says of the end of an item: its result stands elsewhere. */
export const ledgerFate = ({ result: _result, goesOn: _goesOn, failure: _failure, ...fate }: Ended): FateGroup['fate'] => fate;

/** The same, for one item. */
export const ledgerRow = ({ key }: Named, ended: Ended): FateGroup => ({ items: [key], fate: ledgerFate(ended) });

/** Of items that were begun and of which no end was seen. */
export const unendedRows = (items: readonly Named[]): FateGroup => ({
  items: items.map(({ key }) => key),
  fate: { status: 'unknown', reason: 'was under way when its attempt ended, and no end was seen', attempts: 1 },
});

/** What is known of an item that may be tried again: attempts so far, and why the last one failed. */
export type TriedItem = { attempts: number; reason: string };

/** Its name in the journal of an item; in that of the chunk the item's number stands before it. */
export const tried = 'tried';
export const triedItem = (at: number): string => `${at} ${tried}`;

/** What its journal knows of the attempts of an item that failed. */
export function triedOf(intents: Intents, at: number): TriedItem | undefined {
  const known = intents.state(triedItem(at));
  return known.is === 'done' ? (known.result as TriedItem) : undefined;
}

/** Of items that failed and were to be tried again, where the run ends before that. */
export function triedRows(items: readonly Named[], intents: Intents): FateGroup[] {
  return items.flatMap(({ key }, at): FateGroup[] => {
    const known = triedOf(intents, at);
    if (!known || intents.state(String(at)).is !== 'new') return [];
    const { attempts, reason } = known;
    return [{ items: [key], fate: { status: 'failed', reason: `${reason}; the run ended before it was tried again`, attempts } }];
  });
}

/** Items of a chunk that were begun and did not end, as its journal has it; what it has of those that did goes into the ledger. */
export function begunOf(items: readonly Named[], context: StepContext): string[] {
  const calls = context.intents().calls();
  context.fates(triedRows(items, context.intents()));
  return items.flatMap((item, at) => {
    const known = calls.get(String(at));
    if (known?.is === 'done') context.fates([ledgerRow(item, known.result as Ended)]);
    return known?.is === 'open' ? [item.key] : [];
  });
}
