import { createHash } from 'node:crypto';
import type { StepContext } from '../frame/context.ts';
import { lookedUp } from '../../pipelines/steps/data/delete.ts';
import { exclusively } from '../../store/exclusive.ts';
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

/** Reads and writes what is known of the deletions of a dataset, as one act: what another run has noted meanwhile would be lost. */
const changing = <T>(context: StepContext, dataset: string, act: (known: Deletions) => Promise<T>): Promise<T> =>
  exclusively(context.store, key(context, dataset), context, async () => act(await deletionsOf(context, dataset)));

const listKey = (context: StepContext, dataset: string, list: string): string =>
  JSON.stringify(['deleted ids', key(context, dataset), list]);

/**
 * Writes down ids that a step is about to delete, all at once before its first call: the service shows them until the deletion is
 * committed, and nothing but this distinguishes them from rows that stay.
 */
export async function noteDeletedIds(context: StepContext, dataset: string, ids: readonly string[]): Promise<void> {
  const list = createHash('sha256').update(JSON.stringify(ids)).digest('hex').slice(0, 16);
  await changing(context, dataset, async (known) => {
    if (known.lists.includes(list)) return;
    await context.store.remember(listKey(context, dataset, list), ids);
    await context.store.remember(key(context, dataset), { ...known, lists: [...known.lists, list] } satisfies Deletions);
  });
}

/** The ids whose deletion was ordered from this run store and not seen to be committed. */
export async function deletedIds(context: StepContext, dataset: string): Promise<Set<string>> {
  const { open, lists } = await deletionsOf(context, dataset);
  return open ? idsIn(context, dataset, lists) : new Set();
}

async function idsIn(context: StepContext, dataset: string, lists: readonly string[]): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const list of lists) for (const id of (await context.store.recall<string[]>(listKey(context, dataset, list))) ?? []) ids.add(id);
  return ids;
}

/** Writes down that these ids are about to be deleted; before the call, because its answer may be lost. */
export async function noteDeletion(context: StepContext, dataset: string, idField: string, ids: readonly string[]): Promise<void> {
  let looked: readonly string[] = [];
  for (;;) {
    // The service is asked while nobody waits for it: how many are to be looked up is known when the answer is there.
    const rows = await readKnownRows(context, dataset, idField, looked);
    const more = await changing(context, dataset, async ({ version, open, sample, lists }) => {
      const kept = open ? sample : [];
      const wanted = ids.slice(0, Math.max(0, lookedUp - kept.length));
      if (wanted.length > looked.length) return wanted;
      const there = wanted.filter((id) => rows.has(id));
      const noted: Deletions = { version: version + 1, open: true, sample: [...kept, ...there], lists };
      await context.store.remember(key(context, dataset), noted);
      return undefined;
    });
    if (!more) return;
    looked = more;
  }
}

/** The deletions of these lists have been seen to be committed. Of one that was noted since it is not known: it stays. */
export async function settleDeletions(context: StepContext, dataset: string, seen: readonly string[]): Promise<void> {
  await changing(context, dataset, async (known) => {
    if (!known.open) return;
    const committed = known.lists.filter((list) => seen.includes(list));
    const lists = known.lists.filter((list) => !committed.includes(list));
    const left = await idsIn(context, dataset, lists);
    const sample = known.sample.filter((id) => left.has(id));
    for (const list of committed) await context.store.remember(listKey(context, dataset, list), []);
    await context.store.remember(key(context, dataset), { ...known, open: lists.length > 0, sample, lists } satisfies Deletions);
  });
}
