import type { StepContext } from '../frame/context.ts';
import { lookedUp } from '../../pipelines/steps/data/delete.ts';
import { readKnownRows } from '../dataset/known-rows.ts';

/**
 * Deletions that were ordered from this run store, by dataset. A deletion shows when the next update has been made, and the
 * text does not say whether it moves `last_modified` before: without this memory an update that is needed might not be sent.
 */
export type Deletions = {
  /** How many times rows were deleted: another version of the data each. */
  version: number;
  /** Ordered, and not seen to be committed. */
  open: boolean;
  /** Some of the ids that were there: gone when the deletion is committed. */
  sample: string[];
};

const key = ({ connection, mapsUrl }: StepContext, dataset: string): string =>
  JSON.stringify(['deletions', connection('maps').name, mapsUrl(''), dataset]);

export const deletionsOf = async (context: StepContext, dataset: string): Promise<Deletions> =>
  (await context.store.recall<Deletions>(key(context, dataset))) ?? { version: 0, open: false, sample: [] };

/** Writes down that these ids are about to be deleted; before the call, because its answer may be lost. */
export async function noteDeletion(context: StepContext, dataset: string, idField: string, ids: readonly string[]): Promise<void> {
  const { version, open, sample } = await deletionsOf(context, dataset);
  const kept = open ? sample : [];
  const looked = kept.length >= lookedUp ? [] : ids.slice(0, lookedUp - kept.length);
  const known = await readKnownRows(context, dataset, idField, looked);
  await context.store.remember(key(context, dataset), {
    version: version + 1,
    open: true,
    sample: [...kept, ...looked.filter((id) => known.has(id))],
  } satisfies Deletions);
}

/** Every deletion so far has been seen to be committed. */
export async function settleDeletions(context: StepContext, dataset: string): Promise<void> {
  const known = await deletionsOf(context, dataset);
  if (known.open) await context.store.remember(key(context, dataset), { ...known, open: false, sample: [] } satisfies Deletions);
}
