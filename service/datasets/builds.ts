import type { Embedder } from '../embedding/provider.ts';
import type { Records } from '../records/database.ts';
import type { BuildRow } from '../records/projects.ts';
import { buildIndex } from './build.ts';
import type { Datasets } from './store.ts';

export type Builds = {
  /** Begins or continues the build in the background. */
  start(projectId: string, indexId: string): void;
  /** Continues what an earlier process left unfinished. */
  resume(): void;
  /** Ends the builds of a project that is being removed. */
  stop(projectId: string): Promise<void>;
  /** Stops after the current batch; the committed stage stays. */
  close(): Promise<void>;
};

type Running = { projectId: string; controller: AbortController; ended: Promise<void> };

/** Index builds of all datasets, in the background. */
export const createBuilds = (records: Records, datasets: Datasets, embedder: Embedder): Builds => {
  const running = new Map<string, Running>();
  const stopped = async (some: Running[]): Promise<void> => {
    for (const { controller } of some) controller.abort(new Error('stopped'));
    await Promise.all(some.map(({ ended }) => ended));
  };
  const start: Builds['start'] = (projectId, indexId) => {
    if (running.has(indexId)) return;
    const controller = new AbortController();
    const ended = datasets
      .use(projectId, (dataset) => buildIndex(dataset, indexId, embedder, controller.signal))
      .then(() => void records.run('UPDATE builds SET ended = 1 WHERE index_id = ?', indexId))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) process.stderr.write(`build of index ${indexId}: ${String(error)}\n`);
      })
      .finally(() => running.delete(indexId));
    running.set(indexId, { projectId, controller, ended });
  };
  return {
    start,
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
