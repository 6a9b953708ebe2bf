import { Inconclusive } from '../../errors/classes.ts';
import { isConflict } from '../frame/conflict.ts';
import { isTooMuch } from '../../client/in-batches.ts';
import type { StepContext } from '../frame/context.ts';
import { awaitKnownRows } from './await-known-rows.ts';
import { sameRow } from './same-row.ts';

/** A shard, and the dataset that it is for. */
export type ShardOf = { dataset: string; idField: string; file: string };

/** May a service have refused an addition because it knows an id of it? */
export const knowsSome = (error: unknown): boolean => isConflict(error) && !isTooMuch(error);

/**
 * Adds rows of a shard. A service may refuse the whole call because an id of it is there, which a repeat meets wherever an earlier
 * sending arrived: then only those are sent that are not there. `refusal`: what the call was refused with already. Fails with it
 * where no id is there, and with `Inconclusive` where another row stands under one.
 */
export async function addMissing(
  context: StepContext,
  shard: ShardOf,
  ids: readonly string[],
  send: (ids: readonly string[]) => Promise<void>,
  refusal?: unknown,
): Promise<void> {
  let left = refusal === undefined ? ids : await notThere(context, shard, ids, refusal);
  while (left.length > 0) {
    try {
      return await send(left);
    } catch (error) {
      left = await notThere(context, shard, left, error);
    }
  }
}

/** Ids that the dataset does not have, of those that were refused. */
async function notThere(
  context: StepContext,
  { dataset, idField, file }: ShardOf,
  ids: readonly string[],
  refusal: unknown,
): Promise<readonly string[]> {
  if (!knowsSome(refusal)) throw refusal;
  const known = await awaitKnownRows(context, { dataset, idField }, ids, (seen) => seen.size > 0);
  if (known.size === 0) throw refusal;
  const shard = await context.tables.readShard(file);
  const other = shard.ids.find((id, row) => known.has(id) && !sameRow(shard.rows[row]!, known.get(id)!));
  if (other !== undefined)
    throw new Inconclusive(
      `the dataset had no row of id ${JSON.stringify(other)} when it was compared, and holds another one than the source now: something else writes to it. Run again: rows that differ are reported then`,
    );
  return ids.filter((id) => !known.has(id));
}
