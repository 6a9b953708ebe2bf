import type { z } from 'zod';
import { instant } from '../time.ts';
import type { project } from './projects.ts';

type Project = z.output<typeof project>;
type Index = Project['atlas_indices'][number];

/** A dataset as it is now, and the time of its last change in seconds since the epoch; null: it never had rows. */
export type DatasetNow = { project: Project; changedAt: number | null };

/** Does an index hold the data as it is: built to the end, and not before the last addition or deletion. */
export const covers = (index: Index, { changedAt }: Pick<DatasetNow, 'changedAt'>): boolean =>
  index.projections.every(
    ({ ready, updated_timestamp, created_timestamp }) =>
      ready && (changedAt === null || instant(updated_timestamp ?? created_timestamp ?? '') / 1_000 >= changedAt),
  );

/** Do all maps of a dataset hold its data as it is? */
export const upToDate = (now: DatasetNow): boolean => now.project.atlas_indices.every((index) => covers(index, now));

/** Has an order to update the maps been received: under way, or done already? */
export const updateReceived = (now: DatasetNow): boolean => now.project.insert_update_delete_lock || upToDate(now);
