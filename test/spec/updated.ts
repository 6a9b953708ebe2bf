import { expect } from 'vitest';
import type { Place } from './place.ts';

/** Orders the update of a dataset's indices and waits until all of its maps are ready and it takes changes again. */
export const updated = async ({ calls }: Place, project_id: string): Promise<void> => {
  await calls.invoke('maps.indices.update', { project_id });
  await expect
    .poll(async () => {
      const { maps, insert_update_delete_lock: locked } = await calls.invoke('maps.projects.get', { project_id });
      return !locked && maps.every(({ ready }) => ready);
    })
    .toBe(true);
};
