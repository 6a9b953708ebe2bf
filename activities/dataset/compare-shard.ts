import { ReadingUnknown } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';
import { deletedIds } from '../index/deletions.ts';
import { readKnownRows } from './known-rows.ts';
import { sameRow } from './same-row.ts';
import { keptComparison, shardFile, type ShardComparison, type Shards } from './shards.ts';

/**
 * Holds the rows of a shard against those of the dataset, once for all attempts. `replaces`: rows that differ are replaced, so that it does
 * not matter whether those that are there stay.
 */
export const compareShard = (
  context: StepContext,
  { dataset, replaces }: { dataset: string; replaces: boolean },
  state: Shards,
  index: number,
): Promise<ShardComparison> =>
  keptComparison(context, shardFile(context, state, index, 'json'), async () => {
    const shard = await context.tables.readShard(context.store.path(shardFile(context, state, index)));
    const known = await readKnownRows(context, dataset, state.idField, shard.ids);
    const missing = shard.ids.filter((id) => !known.has(id));
    const changed = shard.ids.filter((id, row) => known.has(id) && !sameRow(shard.rows[row]!, known.get(id)!));
    const kept = replaces ? new Set(known.keys()).difference(new Set(changed)) : new Set(known.keys());
    await refuseDeleted(context, dataset, kept);
    return {
      missing: missing.length === shard.ids.length ? 'all' : missing,
      present: shard.ids.length - missing.length - changed.length,
      changed,
    };
  });

/** A row whose deletion is not committed is shown still: reported as present, it would go with the next update of the maps. */
async function refuseDeleted(context: StepContext, dataset: string, kept: ReadonlySet<string>): Promise<void> {
  const [deleted] = kept.size === 0 ? [] : (await deletedIds(context, dataset)).intersection(kept);
  if (deleted !== undefined)
    throw new ReadingUnknown(
      `the dataset shows id ${JSON.stringify(deleted)} of the source, whose deletion was ordered and is not committed: its row will go, and whether a new one would stay is not known. Commit the deletion by index.update (in a dataset without maps by index.build) before dataset.append`,
    );
}
