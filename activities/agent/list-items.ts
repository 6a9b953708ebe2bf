import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput } from '../../errors/classes.ts';
import type { AgentInput } from '../../pipelines/steps/agent/input.ts';
import { writeTaken } from '../../store/former-fates.ts';
import type { Counted } from '../../store/reservations.ts';
import { writeSweepItems } from '../../store/sweep-items.ts';
import type { StepContext } from '../frame/context.ts';
import { ofEarlierRuns, openCaps } from './caps.ts';
import { itemsOf } from './items.ts';
import type { TakenItem, TakeOver } from './take-over.ts';

/**
 * Writes the items of the step into its list, with what earlier runs know of them, and sets what those have spent against the caps, in place
 * of what that of the run has counted by other names (`gone`). Fails where two items have one name.
 */
export async function listItems(
  input: AgentInput,
  list: string,
  { formers, gone }: { formers: TakeOver; gone: readonly string[] },
  context: StepContext,
): Promise<{ items: number; parts: number }> {
  const { store, step } = context;
  const counted: Counted[] = [];
  const names = new Set<string>();
  const rows = join('agents', step, context.attemptId);
  let parts = 0;
  try {
    for await (const items of itemsOf(input, rows, context)) {
      const taken: { [at: number]: TakenItem } = {};
      const listed = items.map((item, at) => {
        if (names.has(item.key))
          throw new BadInput('bad_input', `two items are named '${item.key}': key must be a column of values that differ`);
        names.add(item.key);
        const { item: goesOn, taken: known } = formers.take(item);
        if (known) {
          const { cost, underWay = cost === undefined } = known;
          taken[at] = known;
          counted.push({ item: item.key, amount: cost ?? 0, underWay });
        }
        return { key: item.key, item: JSON.stringify(goesOn.item) };
      });
      await writeSweepItems(store, list, parts, listed);
      await writeTaken(store, list, parts, taken);
      parts++;
    }
    await countInCaps(input, { counted, formers, gone }, context);
    return { items: names.size, parts };
  } finally {
    await rm(store.path(rows), { recursive: true, force: true });
  }
}

async function countInCaps(
  input: AgentInput,
  { counted, formers, gone }: { counted: readonly Counted[]; formers: TakeOver; gone: readonly string[] },
  context: StepContext,
): Promise<void> {
  if (!input.cap) return;
  const spentElse = await formers.spentElse(input.cap.item);
  await context.held();
  const caps = await openCaps(input, context);
  try {
    caps?.takeOver([...counted, { item: ofEarlierRuns, amount: spentElse, underWay: false }], gone);
  } finally {
    caps?.close();
  }
}
