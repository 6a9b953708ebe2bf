import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Stands in the folder above all runs. Without it the folder is not the store: a disk that is not mounted leaves an empty one. */
const idFile = 'store.json';

/**
 * The task queue of the runs of a store: they are worked on where their files are, whichever other workers the Temporal server
 * has. The folder above the runs gets its id when it is first asked for.
 */
export function taskQueueOf(storeRoot: string): string {
  const file = join(storeRoot, idFile);
  if (!existsSync(file)) {
    mkdirSync(storeRoot, { recursive: true });
    try {
      writeFileSync(file, `${JSON.stringify({ id: randomUUID() })}\n`, { flag: 'wx' });
    } catch (error) {
      // Another process was first.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  const { id } = JSON.parse(readFileSync(file, 'utf8')) as { id: string };
  return `portolan-${id}`;
}

/** True where the store of a run and its folder are there now. */
export function storeIsThere(runStore: string): boolean {
  const folder = runStore.startsWith('file:') ? fileURLToPath(runStore) : runStore;
  return existsSync(folder) && existsSync(join(dirname(folder), idFile));
}
