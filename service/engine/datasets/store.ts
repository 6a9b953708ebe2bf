import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDataset } from './dataset.ts';
import type { Dataset } from './dataset.ts';

export type Datasets = {
  /** Runs `work` on the dataset, opened where it is not; it stays open while in use. */
  use<T>(projectId: string, work: (dataset: Dataset) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

type Entry = { dataset: Promise<Dataset>; users: number };

/** The datasets of a folder, one DuckDB file each, opened when needed; beyond `maxOpen` the one unused for longest is closed. */
export const createDatasets = (folder: string, { maxOpen = 8, memoryLimit = '512MB' } = {}): Datasets => {
  mkdirSync(folder, { recursive: true });
  // In the order of last use.
  const open = new Map<string, Entry>();
  const closing = new Map<string, Promise<void>>();

  const shut = (projectId: string, entry: Entry): void => {
    open.delete(projectId);
    const ended = entry.dataset
      .then((dataset) => dataset.close())
      .catch(() => undefined)
      .finally(() => closing.delete(projectId));
    closing.set(projectId, ended);
  };
  const enter = (projectId: string): Entry => {
    const known = open.get(projectId);
    const entry = known ?? {
      users: 0,
      dataset: (closing.get(projectId) ?? Promise.resolve()).then(() => openDataset(join(folder, `${projectId}.duckdb`), memoryLimit)),
    };
    open.delete(projectId);
    open.set(projectId, entry);
    entry.users += 1;
    const idle = [...open].filter(([, each]) => each.users === 0);
    for (const [id, each] of idle.slice(0, Math.max(0, open.size - maxOpen))) shut(id, each);
    return entry;
  };

  return {
    async use(projectId, work) {
      const entry = enter(projectId);
      try {
        return await work(await entry.dataset);
      } catch (error) {
        // A failed opening must not be remembered.
        if (
          await entry.dataset.then(
            () => false,
            () => true,
          )
        )
          open.delete(projectId);
        throw error;
      } finally {
        entry.users -= 1;
      }
    },
    async close() {
      for (const [id, entry] of open) shut(id, entry);
      await Promise.all(closing.values());
    },
  };
};
