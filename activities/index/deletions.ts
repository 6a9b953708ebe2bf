import { createHash } from 'node:crypto';
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
  /** Names of the lists of ids whose deletion was ordered and not seen to be committed. */
  lists: string[];
};

const key = ({ connection, mapsUrl }: StepContext, dataset: string): string =>
  JSON.stringify(['deletions', connection('maps').name, mapsUrl(''), dataset]);

export const deletionsOf = async (context: StepContext, dataset: string): Promise<Deletions> =>
  (await context.store.recall<Deletions>(key(context, dataset))) ?? { version: 0, open: false, sample: [], lists: [] };

const listKey = (context: StepContext, dataset: string, list: string): string =>
  JSON.stringify(['deleted ids', key(context, dataset), list]);

/**
 * Writes down ids that a step is about to delete, all at once before its first call: the service shows them until the deletion is
 * committed, and nothing but this distinguishes them from rows that stay.
 */
export async function noteDeletedIds(context: StepContext, dataset: string, ids: readonly string[]): Promise<void> {
  const known = await deletionsOf(context, dataset);
  const list = createHash('sha256').update(JSON.stringify(ids)).digest('hex').slice(0, 16);
  if (known.lists.includes(list)) return;
  await context.store.remember(listKey(context, dataset, list), ids);
  await context.store.remember(key(context, dataset), { ...known, lists: [...known.lists, list] } satisfies Deletions);
}

/** The ids whose deletion was ordered from this run store and not seen to be committed. */
export async function deletedIds(context: StepContext, dataset: string): Promise<Set<string>> {
  const { open, lists } = await deletionsOf(context, dataset);
  const ids = new Set<string>();
  if (!open) return ids;
  for (const list of lists) for (const id of (await context.store.recall<string[]>(listKey(context, dataset, list))) ?? []) ids.add(id);
  return ids;
}

/** Writes down that these ids are about to be deleted; before the call, because its answer may be lost. */
export async function noteDeletion(context: StepContext, dataset: string, idField: string, ids: readonly string[]): Promise<void> {
  const { version, open, sample, lists } = await deletionsOf(context, dataset);
  const kept = open ? sample : [];
  const looked = kept.length >= lookedUp ? [] : ids.slice(0, lookedUp - kept.length);
  const known = await readKnownRows(context, dataset, idField, looked);
  await context.store.remember(key(context, dataset), {
    version: version + 1,
    open: true,
    sample: [...kept, ...looked.filter((id) => known.has(id))],
    lists,
  } satisfies Deletions);
}

/** Every deletion so far has been seen to be committed. */
export async function settleDeletions(context: StepContext, dataset: string): Promise<void> {
  const known = await deletionsOf(context, dataset);
  if (!known.open) return;
  for (const list of known.lists) await context.store.remember(listKey(context, dataset, list), []);
  await context.store.remember(key(context, dataset), { ...known, open: false, sample: [], lists: [] } satisfies Deletions);
}
