import { setTimeout as sleep } from 'node:timers/promises';
import type { Clients } from '../../client/create-client.ts';

/** The dataset, once nothing of it is built or updated any more. */
export async function unlocked(api: Pick<Clients['maps'], 'projects'>, project_id: string) {
  for (;;) {
    const project = await api.projects.get({ project_id });
    if (!project.insert_update_delete_lock) return project;
    await sleep(20);
  }
}
