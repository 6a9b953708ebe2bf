import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HttpError } from '../../core/errors.ts';
import { openDataset } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { makeDatasetsFolder } from './folder.ts';

export type Datasets = {
  /**
   * Runs `work` on the dataset, opened where it is not; it stays open while in use. Fails with 503 while its file is not
   * where it was: what is written then is in a file without a name, and lost with it.
   */
  use<T>(projectId: string, work: (dataset: Dataset) => Promise<T>): Promise<T>;
  /** Whether the dataset has a file; its first use makes one. */
  has(projectId: string): boolean;
  /** What its files have on the disk. */
  bytes(projectId: string): number;
  close(): Promise<void>;
};

/** Which file stands under a name; undefined where none does. */
const identityOf = (file: string): string | undefined => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
};

type Entry = { dataset: Promise<Dataset>; users: number };

/** The datasets of a folder, one DuckDB file each, opened when needed; beyond `maxOpen` the one unused for longest is closed. */
export const createDatasets = (wanted: string, { maxOpen = 8, memoryLimit = '512MB' } = {}): Datasets => {
  const folder = makeDatasetsFolder(wanted);
  // In the order of last use.
  const open = new Map<string, Entry>();
  const closing = new Map<string, Promise<void>>();

  // What each dataset's file was when it was last opened.
  const files = new Map<string, string>();
  const pathOf = (projectId: string): string => join(folder, `${projectId}.duckdb`);

  const checkFile = (projectId: string): void => {
    const file = pathOf(projectId);
    const known = files.get(projectId);
    if (known === undefined || identityOf(file) === known) return;
    process.stderr.write(`dataset ${projectId}: ${file} was removed or replaced under way; put it back\n`);
    throw new HttpError(503, `the file of dataset ${projectId} is gone: put ${file} back; after a new start of the service it is empty`, {
      'retry-after': '5',
    });
  };
  const openFile = async (projectId: string): Promise<Dataset> => {
    checkFile(projectId);
    const file = pathOf(projectId);
    const dataset = await openDataset(file, memoryLimit);
    files.set(projectId, identityOf(file)!);
    return dataset;
  };
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
      dataset: (closing.get(projectId) ?? Promise.resolve()).then(() => openFile(projectId)),
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
        const dataset = await entry.dataset;
        checkFile(projectId);
        const result = await work(dataset);
        checkFile(projectId);
        return result;
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
    has: (projectId) => existsSync(pathOf(projectId)),
    bytes: (projectId) =>
      [pathOf(projectId), `${pathOf(projectId)}.wal`].reduce(
        (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
        0,
      ),
    async close() {
      for (const [id, entry] of open) shut(id, entry);
      await Promise.all(closing.values());
    },
  };
};
