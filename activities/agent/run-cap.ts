import { existsSync } from 'node:fs';
import { createRunStore } from '../../store/create-run-store.ts';
import { recordsOf, standing } from '../../store/former-runs.ts';
import { openReservations, reservationsFile } from '../../store/reservations.ts';
import type { StepContext } from '../frame/context.ts';

/** What all steps of a run share that name its cap: no step is called so. */
export const ofTheRun = '$run';

/** How an item is called there. The path of a step has no space. */
export const ofItem = (step: string, item: string): string => `${step} ${item}`;

/** What a step has spent under it in an earlier run: no item is called so. */
const before = ' ';
const ofEarlier = (run: string, step: string): string => `${before}${run} ${step}`;

/** What the newest of the earlier runs that has such a cap has counted under it, by run and step. */
async function spentBefore(context: StepContext): Promise<Map<string, number>> {
  for (const { run, store } of context.run.former?.runs ?? []) {
    const former = createRunStore(store);
    if (!existsSync(reservationsFile(former, ofTheRun))) continue;
    const purse = await openReservations(former, ofTheRun, Infinity);
    const spent = new Map<string, number>();
    for (const [item, amount] of purse.amounts()) {
      const name = item.startsWith(before) ? item : ofEarlier(run, item.slice(0, item.indexOf(' ')));
      spent.set(name, (spent.get(name) ?? 0) + amount);
    }
    purse.close();
    return spent;
  }
  return new Map();
}

/**
 * Counts under the cap of a run what the steps of the runs before it have spent under theirs: those whose results it has are not done again.
 * Returns under which names it has what this step has spent there, which knows what agents of its items have cost, and counts it itself.
 */
export async function takeOverRunCap(context: StepContext): Promise<readonly string[]> {
  const { store, run } = context;
  const purse = await openReservations(store, ofTheRun, Infinity);
  try {
    if (!purse.amounts().has(before)) purse.carry(await spentBefore(context), before);
  } finally {
    purse.close();
  }
  const own: string[] = [];
  for (const former of await standing(run.former?.runs ?? [], context)) {
    const records = await recordsOf(former, context);
    if (records && 'name' in records) own.push(ofEarlier(former.run, records.name));
  }
  return own;
}
