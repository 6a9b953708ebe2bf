import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnService } from './support-service.ts';

/** A map with places by chance: quickly built. */
export const random = (project_id: string, index_name: string) => ({
  project_id,
  index_name,
  indexed_field: null,
  model: null,
  nearest_neighbor_index: null,
  projection: 'SvcProject',
  projection_hyperparameters: '{"model":"random"}',
});

/** Until no index of the dataset is being built. */
export async function unlocked({ api }: OwnService, project_id: string, ms = 20_000): Promise<void> {
  const late = performance.now() + ms;
  while ((await api.projects.get({ project_id })).insert_update_delete_lock) {
    if (performance.now() > late) throw new Error(`dataset ${project_id} is still locked after ${ms / 1_000} s`);
    await sleep(10);
  }
}
