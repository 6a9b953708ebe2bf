import pLimit from 'p-limit';
import { BadInput } from '../../errors/classes.ts';
import { counted } from '../../text/units.ts';
import type { StepContext } from '../frame/context.ts';
import { compareShard } from './compare-shard.ts';
import { awaitDataset } from './expected-rows.ts';
import { readKnownRows } from './known-rows.ts';
import type { Shards } from './shards.ts';

/** Shards that are compared side by side: most of the time each waits for the service. */
const comparesAtOnce = 8;

/** Why a mirror does not go on where the dataset holds rows that are not its own. `done`: what it has done, or not, until then. */
export const strangeRows = (strange: number, done: string): string =>
  `the dataset holds ${counted(strange, 'row')} from elsewhere, neither in the source nor put there by this step; ${done}. Delete them (points.select, data.delete), or leave them there: others: keep`;

/**
 * Fails, before anything is sent, where the dataset holds rows that are neither in the source nor among those that the mirror has put
 * there: `gone` of these are to be deleted, and those of `refused` stay. What is compared here, no chunk compares again.
 */
export async function refuseStrange(
  context: StepContext,
  dataset: string,
  shards: Shards,
  { gone, refused }: { gone: number; refused: readonly string[] },
): Promise<void> {
  if (shards.whole) return;
  const total = shards.shards;
  let own = gone + (await readKnownRows(context, dataset, shards.idField, refused)).size;
  let done = 0;
  await pLimit(comparesAtOnce).map(Array.from({ length: total }).keys(), async (shard) => {
    const { present, changed } = await compareShard(context, { dataset, replaces: true }, shards, shard);
    own += present + changed.length;
    context.progress({ done: ++done, total, unit: 'shards', note: 'comparing with the rows of the dataset' });
  });
  if (shards.before <= own) return;
  // The count may be late.
  const { total_datums_in_project: held } = await awaitDataset(context, dataset, (now) => now.total_datums_in_project <= own);
  if (held > own) throw new BadInput('bad_input', strangeRows(held - own, 'nothing was sent'));
}
