import type { CollectInput } from '../../pipelines/plan.ts';
import { keptValue } from '../../store/kept-values.ts';
import { keepRows, type TurnRow } from '../../store/kept-rows.ts';
import type { RunStore } from '../../store/run-store.ts';

/** Keeps a batch of rows; values that stand in the run store are put in. */
export async function collect({ step, batch, rows }: CollectInput, store: RunStore): Promise<null> {
  await keepRows(store, step, batch, wholeRows(rows));
  return null;
}

/** One after the other: each may have megabytes. */
async function* wholeRows(rows: CollectInput['rows']): AsyncGenerator<TurnRow, void, undefined> {
  for (const { turn, row } of rows) {
    const values = Object.entries(row).map(async ([name, value]) => [name, await keptValue(value)] as const);
    yield { turn, row: Object.fromEntries(await Promise.all(values)) };
  }
}
