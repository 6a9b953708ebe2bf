import type { z } from 'zod';
import { instant } from '../time.ts';
import type { Ask } from '../endpoint.ts';
import { lastModified, type addition } from './data.ts';
import { get, type project } from './projects.ts';

export type Project = z.output<typeof project>;
type Index = Project['atlas_indices'][number];

/** A dataset as it is now, and the time of its last change in milliseconds since the epoch; null: it never had rows. */
export type DatasetNow = { project: Project; changedAt: number | null };

/** Seconds of this century stay below it, milliseconds are above: the text names no unit of `latest_addition_timestamp`. */
const mostSeconds = 1e11;

/** When a dataset last changed, in milliseconds since the epoch. */
export const changedAt = ({ latest_addition_timestamp: stamp }: Pick<z.output<typeof addition>, 'latest_addition_timestamp'>) =>
  stamp === null || stamp === undefined ? null : stamp < mostSeconds ? stamp * 1_000 : stamp;

type Stamped = { updated_timestamp?: string | null | undefined; created_timestamp?: string | null | undefined };

/** When a map was last built or updated, as the service wrote it; empty where it says nothing. */
export const stampOf = ({ updated_timestamp, created_timestamp }: Stamped): string => updated_timestamp ?? created_timestamp ?? '';

/** Whether an index holds the data as it is: built to the end, and not before the last change that the service reports. */
export const covers = (index: Index, { changedAt: last }: Pick<DatasetNow, 'changedAt'>): boolean =>
  index.projections.every((map) => map.ready && (last === null || instant(stampOf(map)) >= last));

/** Do all maps of a dataset hold its data as it is? */
const upToDate = (now: DatasetNow): boolean => now.project.atlas_indices.every((index) => covers(index, now));

/** Ids of the indices that lack data, as far as the service reports it: an update shows by them, and by nothing where there is none. */
export const staleIndices = (now: DatasetNow): string[] =>
  now.project.atlas_indices.filter((index) => !covers(index, now)).map(({ id }) => id);

/**
 * Has an order to update the maps been received: under way, or done already? `stale` are the indices that lacked data before it:
 * where nothing reported a change, nothing reports its end either. Sending again is harmless then, leaving it out is not.
 */
export const updateReceived = (now: DatasetNow, stale: readonly string[]): boolean =>
  stale.length > 0 && (now.project.insert_update_delete_lock || upToDate(now));

/** A dataset as it is now, by two reads. */
export async function datasetNow(dataset: string, ask: Ask): Promise<DatasetNow> {
  // In this order: a change between the two makes the maps look older than they are, never newer.
  const project = await ask(get, { project_id: dataset });
  const changed = await ask(lastModified, { dataset_id: dataset });
  return { project, changedAt: changedAt(changed) };
}
