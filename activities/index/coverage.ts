import type { z } from 'zod';
import type { project } from '../../contracts/maps/projects.ts';
import type { StepContext } from '../frame/context.ts';

type Project = z.output<typeof project>;
type Index = Project['atlas_indices'][number];

/** A dataset as it is now, and the time of its last change in seconds since the epoch; null: it never had rows. */
export type DatasetNow = { project: Project; changedAt: number | null };

export async function datasetNow(context: StepContext, dataset: string): Promise<DatasetNow> {
  // In this order: a change between the two makes the maps look older than they are, never newer.
  const project = await context.maps.projects.get({ project_id: dataset }, { signal: context.signal });
  const { latest_addition_timestamp } = await context.maps.data.lastModified({ dataset_id: dataset }, { signal: context.signal });
  return { project, changedAt: latest_addition_timestamp ?? null };
}

/** Does an index hold the data as it is: built to the end, and not before the last addition or deletion. */
export const covers = (index: Index, { changedAt }: Pick<DatasetNow, 'changedAt'>): boolean =>
  index.projections.every(
    ({ ready, updated_timestamp, created_timestamp }) =>
      ready && (changedAt === null || Date.parse(updated_timestamp ?? created_timestamp ?? '') / 1_000 >= changedAt),
  );

/** Do all maps of a dataset hold its data as it is? */
export const upToDate = (now: DatasetNow): boolean => now.project.atlas_indices.every((index) => covers(index, now));

/** Has an order to update the maps been received: under way, or done already? */
export const updateReceived = (now: DatasetNow): boolean => now.project.insert_update_delete_lock || upToDate(now);

/** When a map was last built or updated: changes whenever its points may have. */
export async function mapVersion(context: StepContext, map: string): Promise<string> {
  const { dataset_id, index_id } = await context.maps.projections.dataset({ map_id: map }, { signal: context.signal });
  const { atlas_indices } = await context.maps.projects.get({ project_id: dataset_id }, { signal: context.signal });
  const projection = atlas_indices.find(({ id }) => id === index_id)?.projections.find(({ id }) => id === map);
  return projection?.updated_timestamp ?? projection?.created_timestamp ?? '';
}
