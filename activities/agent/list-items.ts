import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput } from '../../errors/classes.ts';
import type { AgentInput } from '../../pipelines/steps/agent/input.ts';
import { writeTaken } from '../../store/former-fates.ts';
import { writeSweepItems } from '../../store/sweep-items.ts';
import type { StepContext } from '../frame/context.ts';
import { ofEarlierRuns, openCaps } from './caps.ts';
import { itemsOf } from './items.ts';
import type { TakenItem, TakeOver } from './take-over.ts';

/**
 * Writes the items of the step into its list, with what earlier runs know of them, and sets what those have spent against the caps. Fails
 * where two items have one name.
 */
export async function listItems(
  input: AgentInput,
  list: string,
  formers: TakeOver,
  context: StepContext,
): Promise<{ items: number; parts: number }> {
  const { store, step } = context;
  const caps = await openCaps(input, context);
  const names = new Set<string>();
  const rows = join('agents', step, context.attemptId);
  let parts = 0;
  try {
    for await (const items of itemsOf(input, rows, context)) {
      const taken: { [at: number]: TakenItem } = {};
      const known = items.map((item, at) => {
        if (names.has(item.key))
          throw new BadInput('bad_input', `two items are named '${item.key}': key must be a column of values that differ`);
        names.add(item.key);
        const gone = formers.take(item);
        if (gone.taken) taken[at] = gone.taken;
        const { cost, underWay } = gone.taken ?? {};
        if (cost !== undefined && !underWay) caps?.commit(item.key, cost);
        else if (gone.taken) caps?.hold(item.key, cost);
        return { key: item.key, item: JSON.stringify(gone.item.item) };
      });
      await writeSweepItems(store, list, parts, known);
      await writeTaken(store, list, parts, taken);
      parts++;
    }
    if (input.cap) caps?.commit(ofEarlierRuns, await formers.spentElse(input.cap.item));
    return { items: names.size, parts };
  } finally {
    caps?.close();
    await rm(store.path(rows), { recursive: true, force: true });
  }
}
