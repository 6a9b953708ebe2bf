import type { Faults } from '../core/faults.ts';
import { isoTime } from '../core/clock.ts';
import type { Records } from '../core/records/database.ts';
import type { Blobs } from './blobs.ts';
import type { Builds } from './datasets/builds.ts';
import { clearDataset } from './datasets/clear.ts';
import type { Datasets } from './datasets/store.ts';
import type { Resources } from './resources/resources.ts';
import type { Uploads } from './uploads/store.ts';

export type Removals = {
  /** Deletes what a removed project held; settles when it is gone. */
  finish(projectId: string): Promise<void>;
  /** Begins to do so, in the background, for every removed project that is not yet fully deleted. */
  resume(): void;
  /** Waits for what is under way. */
  close(): Promise<void>;
};

type Parts = {
  records: Records;
  datasets: Datasets;
  builds: Builds;
  resources: Resources;
  uploads: Uploads;
  blobs: Blobs;
  reach: Faults['reach'];
};

/** The deletion behind a removal. A project is marked as removed first, and as deleted last: a kill in between leaves what `resume` goes on with. */
export const createRemovals = ({ records, datasets, builds, resources, uploads, blobs, reach }: Parts): Removals => {
  const underWay = new Map<string, Promise<void>>();

  const clear = async (projectId: string): Promise<void> => {
    await reach('removal.marked');
    await builds.stop(projectId);
    await resources.stop(projectId);
    await uploads.dropProject(projectId);
    await blobs.drop(projectId);
    await datasets.use(projectId, (dataset) => clearDataset(dataset));
    records.run('UPDATE projects SET deleted_at = ? WHERE id = ?', isoTime(), projectId);
  };
  const finish: Removals['finish'] = (projectId) => {
    const known = underWay.get(projectId);
    if (known) return known;
    const clearing = clear(projectId).finally(() => underWay.delete(projectId));
    underWay.set(projectId, clearing);
    return clearing;
  };

  return {
    finish,
    resume() {
      for (const { id } of records.all<{ id: string }>('SELECT id FROM projects WHERE removed_at IS NOT NULL AND deleted_at IS NULL'))
        finish(id).catch((error: unknown) => process.stderr.write(`deletion of project ${id}: ${String(error)}\n`));
    },
    close: async () => void (await Promise.allSettled(underWay.values())),
  };
};
