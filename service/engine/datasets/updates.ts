import type { Records } from '../../core/records/database.ts';
import type { ServiceReadings } from '../../core/readings.ts';
import type { Builds } from './builds.ts';
import { updateIndices } from './indices.ts';
import type { Datasets } from './store.ts';

/** How long an update that is begun late waits after its answer, in milliseconds. */
const lateMs = 700;

export type Updates = {
  /** Sets the indices of a project to be brought up to its data, which goes on in the background; 409 while it is locked. */
  begin(projectId: string, requestId: string, topics: boolean): Promise<void>;
  /** Begins some time later: the reading `late` of `update-start`. What waits for the same project already is the same order. */
  beginLater(projectId: string, requestId: string, topics: boolean): void;
  /** Lets the late orders that an earlier process has acknowledged wait again. */
  resume(): void;
  /** Begins no more of them: they stay for the next process. */
  close(): Promise<void>;
};

type LateOrder = { project_id: string; request_id: string; topics: number };

/** Updates of indices: at once, or late by an order that is on disk before it is answered. */
export const createUpdates = ({
  records,
  datasets,
  builds,
  readings,
}: {
  records: Records;
  datasets: Datasets;
  builds: Builds;
  readings: ServiceReadings;
}): Updates => {
  const waiting = new Map<string, NodeJS.Timeout>();
  const beginning = new Set<Promise<void>>();

  const begin: Updates['begin'] = (projectId, requestId, topics) =>
    builds.restart(projectId, () =>
      datasets.use(projectId, (dataset) =>
        updateIndices(dataset, { moves: readings.of('deletion-version') === 'at-commit', topics }, (version) => ({
          requestId,
          operation: 'maps.indices.update',
          subject: `index/${projectId}/`,
          content: { project: projectId, ...version },
        })),
      ),
    );
  const beginLate = async ({ project_id, request_id, topics }: LateOrder): Promise<void> => {
    try {
      await begin(project_id, request_id, topics === 1);
    } catch (error) {
      // What a late order is refused for nobody is there to hear.
      process.stderr.write(`late update of ${project_id}: ${String(error)}\n`);
    }
    // One that was ordered meanwhile is another.
    records.run('DELETE FROM late_updates WHERE project_id = ? AND request_id = ?', project_id, request_id);
  };
  const wait = (order: LateOrder): void => {
    const timer = setTimeout(() => {
      waiting.delete(order.project_id);
      const running = beginLate(order).finally(() => beginning.delete(running));
      beginning.add(running);
    }, lateMs);
    timer.unref();
    waiting.set(order.project_id, timer);
  };

  return {
    begin,
    beginLater(project_id, request_id, topics) {
      if (waiting.has(project_id)) return;
      records.run(
        'INSERT OR REPLACE INTO late_updates (project_id, request_id, topics) VALUES (?, ?, ?)',
        project_id,
        request_id,
        Number(topics),
      );
      wait({ project_id, request_id, topics: Number(topics) });
    },
    resume() {
      const open = records.all<LateOrder>(
        'SELECT project_id, request_id, topics FROM late_updates JOIN projects ON projects.id = project_id WHERE removed_at IS NULL',
      );
      for (const order of open) wait(order);
    },
    async close() {
      for (const timer of waiting.values()) clearTimeout(timer);
      waiting.clear();
      await Promise.all(beginning);
    },
  };
};
