import type { Blobs } from '../blobs.ts';
import { createRowEmbedder } from '../embedding/row-embedder.ts';
import type { Meter } from '../meter.ts';
import type { Records } from '../../core/records/database.ts';
import type { BuildRow } from '../../core/records/projects.ts';
import { buildIndex } from './build.ts';
import type { Datasets } from './store.ts';

export type Builds = {
  /** Begins or continues the build in the background. */
  start(projectId: string, indexId: string): void;
  /** Runs what sets indices of a project to be built again, and then builds them. Noted first: a kill in between loses none. */
  restart<T>(projectId: string, work: () => Promise<T>): Promise<T>;
  /** Continues what an earlier process left unfinished. */
  resume(): void;
  /** Ends the builds of a project that is being removed. */
  stop(projectId: string): Promise<void>;
  /** Stops after the current batch; the committed stage stays. */
  close(): Promise<void>;
};

type Running = {
  projectId: string;
  controller: AbortController;
  ended: Promise<void>;
  /** Asked for once more meanwhile. */ again: boolean;
};

/** Index builds of all datasets, in the background. */
export const createBuilds = (records: Records, datasets: Datasets, meter: Meter, blobs: Blobs): Builds => {
  const running = new Map<string, Running>();
  const stopped = async (some: Running[]): Promise<void> => {
    for (const { controller } of some) controller.abort(new Error('stopped'));
    await Promise.all(some.map(({ ended }) => ended));
  };
  /** Projects whose indices are being set to be built again: none of them is noted as ended meanwhile. */
  const restarting = new Map<string, number>();

  const start: Builds['start'] = (projectId, indexId) => {
    const known = running.get(indexId);
    if (known) {
      known.again = true;
      return;
    }
    const controller = new AbortController();
    const build: Running = { projectId, controller, again: false, ended: Promise.resolve() };
    const run = async (): Promise<void> => {
      try {
        const { owner } = records.get<{ owner: string }>('SELECT owner FROM projects WHERE id = ?', projectId)!;
        const embedder = createRowEmbedder(meter, blobs, { id: projectId, owner });
        do {
          build.again = false;
          await datasets.use(projectId, (dataset) => buildIndex(dataset, indexId, embedder, controller.signal));
        } while (build.again);
        if (!restarting.has(projectId)) records.run('UPDATE builds SET ended = 1 WHERE index_id = ?', indexId);
      } catch (error) {
        if (!controller.signal.aborted) process.stderr.write(`build of index ${indexId}: ${String(error)}\n`);
      } finally {
        running.delete(indexId);
      }
    };
    running.set(indexId, build);
    build.ended = run();
  };

  return {
    start,
    async restart(projectId, work) {
      records.run('UPDATE builds SET ended = 0 WHERE project_id = ?', projectId);
      restarting.set(projectId, (restarting.get(projectId) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const left = restarting.get(projectId)! - 1;
        if (left > 0) restarting.set(projectId, left);
        else restarting.delete(projectId);
        for (const { index_id } of records.all<BuildRow>('SELECT * FROM builds WHERE project_id = ?', projectId))
          start(projectId, index_id);
      }
    },
    resume() {
      const open = records.all<BuildRow>(
        'SELECT builds.* FROM builds JOIN projects ON projects.id = builds.project_id WHERE ended = 0 AND removed_at IS NULL',
      );
      for (const { project_id, index_id } of open) start(project_id, index_id);
    },
    stop: (projectId) => stopped([...running.values()].filter((each) => each.projectId === projectId)),
    close: () => stopped([...running.values()]),
  };
};
