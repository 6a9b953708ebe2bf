import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DamagedFile } from '../errors/classes.ts';
import { writeOnceSync } from '../files/whole-file.ts';

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
    writeOnceSync(file, `${JSON.stringify({ id: randomUUID() })}\n`);
  }
  const id = idIn(readFileSync(file, 'utf8'), file);
  return `portolan-${id}`;
}

function idIn(text: string, file: string): string {
  const damaged = (why: string): DamagedFile =>
    new DamagedFile(file, why, 'take it away: the store gets a new id, and runs under way, which only the old one finds, are started anew');
  let found: { id?: unknown } | null;
  try {
    found = JSON.parse(text) as { id?: unknown } | null;
  } catch (error) {
    throw damaged((error as SyntaxError).message);
  }
  if (typeof found?.id !== 'string') throw damaged('it says no id');
  return found.id;
}

/** True where the folder above all runs is there now, by the store of a run. */
export const rootIsThere = (runStore: string): boolean => existsSync(join(dirname(pathOf(runStore)), idFile));

/** True where the store of a run and its folder are there now. */
export const storeIsThere = (runStore: string): boolean => existsSync(pathOf(runStore)) && rootIsThere(runStore);

const pathOf = (runStore: string): string => (runStore.startsWith('file:') ? fileURLToPath(runStore) : runStore);
