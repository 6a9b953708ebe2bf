import { changedAt, type DatasetNow } from '../../contracts/maps/coverage.ts';
import type { StepContext } from '../frame/context.ts';

export async function datasetNow(context: StepContext, dataset: string): Promise<DatasetNow> {
  // In this order: a change between the two makes the maps look older than they are, never newer.
  const project = await context.maps.projects.get({ project_id: dataset }, { signal: context.signal });
  const changed = await context.maps.data.lastModified({ dataset_id: dataset }, { signal: context.signal });
  return { project, changedAt: changedAt(changed) };
}
