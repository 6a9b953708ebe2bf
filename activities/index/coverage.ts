import type { DatasetNow } from '../../contracts/maps/coverage.ts';
import type { StepContext } from '../frame/context.ts';

export async function datasetNow(context: StepContext, dataset: string): Promise<DatasetNow> {
  // In this order: a change between the two makes the maps look older than they are, never newer.
  const project = await context.maps.projects.get({ project_id: dataset }, { signal: context.signal });
  const { latest_addition_timestamp } = await context.maps.data.lastModified({ dataset_id: dataset }, { signal: context.signal });
  return { project, changedAt: latest_addition_timestamp ?? null };
}

/** When a map was last built or updated: changes whenever its points may have. */
export async function mapVersion(context: StepContext, map: string): Promise<string> {
  const { dataset_id, index_id } = await context.maps.projections.dataset({ map_id: map }, { signal: context.signal });
  const { atlas_indices } = await context.maps.projects.get({ project_id: dataset_id }, { signal: context.signal });
  const projection = atlas_indices.find(({ id }) => id === index_id)?.projections.find(({ id }) => id === map);
  return projection?.updated_timestamp ?? projection?.created_timestamp ?? '';
}
