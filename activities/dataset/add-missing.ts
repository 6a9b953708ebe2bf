import { Inconclusive } from '../../errors/classes.ts';
import { isConflict } from '../frame/conflict.ts';
import { isTooMuch } from '../frame/in-batches.ts';
import type { StepContext } from '../frame/context.ts';
import { awaitKnownRows } from './await-known-rows.ts';
import { sameRow } from './same-row.ts';

/** May a service have refused an addition because it knows an id of it? */
export const knowsSome = (error: unknown): boolean => isConflict(error) && !isTooMuch(error);

/**
 * Adds rows of a shard. A service may refuse the whole call because an id of it is there, which a repeat meets wherever an earlier
 * sending arrived: then only those are sent that are not there. `Inconclusive` where another row stands under such an id.
 */
export async function addMissing(
  context: StepContext,
  { dataset, idField, file }: { dataset: string; idField: string; file: string },
  ids: readonly string[],
  send: (ids: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let left = ids; left.length > 0;) {
    try {
      return await send(left);
    } catch (error) {
      if (!knowsSome(error)) throw error;
      const known = await awaitKnownRows(context, { dataset, idField }, left, (seen) => seen.size > 0);
      if (known.size === 0) throw error;
      const shard = await context.tables.readShard(file);
      const other = shard.ids.find((id, row) => known.has(id) && !sameRow(shard.rows[row]!, known.get(id)!));
      if (other !== undefined)
        throw new Inconclusive(
          `the dataset had no row of id ${JSON.stringify(other)} when it was compared, and holds another one than the source now: something else writes to it. Run again: rows that differ are reported then`,
        );
      left = left.filter((id) => !known.has(id));
    }
  }
}
