import type { z } from 'zod';
import { instant } from '../time.ts';
import type { addition } from './data.ts';
import type { project } from './projects.ts';

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
export const upToDate = (now: DatasetNow): boolean => now.project.atlas_indices.every((index) => covers(index, now));

/** Has an order to update the maps been received: under way, or done already? */
export const updateReceived = (now: DatasetNow): boolean => now.project.insert_update_delete_lock || upToDate(now);
