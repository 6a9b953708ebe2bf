import type { CollectInput } from '../../pipelines/plan.ts';
import { keptValue } from '../../store/kept-values.ts';
import { keepRows } from '../../store/kept-rows.ts';
import type { RunStore } from '../../store/run-store.ts';

/** Keeps a batch of rows; values that stand in the run store are put in. */
export async function collect({ step, batch, rows }: CollectInput, store: RunStore): Promise<null> {
  const whole = rows.map(async ({ turn, row }) => ({
    turn,
    row: Object.fromEntries(await Promise.all(Object.entries(row).map(async ([name, value]) => [name, await keptValue(value)] as const))),
  }));
  await keepRows(store, step, batch, await Promise.all(whole));
  return null;
}
