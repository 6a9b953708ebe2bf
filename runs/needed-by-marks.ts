import { DamagedFile } from '../errors/classes.ts';
import { createMarks } from '../store/marks.ts';
import { markToRead } from '../store/mark-to-read.ts';
import { rootOf } from './find.ts';

/** A run by its folder. `of`: the run that it takes back (`undoes`), or whose step it is; `former`: the runs that it continues. */
export type StoredRun = { run: string; of?: string | undefined; undoes: boolean; former: readonly string[] };

/**
 * Runs that say that rows were taken back which the next run of their pipeline is to read again: the run that took the rows, what took it
 * back, and the runs between them. The mark itself does not say so: with their folders the rows would be read by nobody.
 */
export async function neededByMarks(storeRoot: string, stored: readonly StoredRun[]): Promise<Set<string>> {
  const needed = new Set(stored.some(({ undoes }) => undoes) ? await readAgain(storeRoot, stored) : []);
  for (let before = -1; needed.size > before;) {
    before = needed.size;
    for (const { run, of, undoes, former } of stored) {
      if (needed.has(run) && of !== undefined) needed.add(of);
      if ((undoes && needed.has(of!)) || former.some((each) => needed.has(each))) needed.add(run);
    }
  }
  return needed;
}

/** Runs whose rows are read again; where a mark cannot be read, all that were taken back. */
async function readAgain(storeRoot: string, stored: readonly StoredRun[]): Promise<string[]> {
  const root = rootOf(storeRoot);
  const marks = createMarks(root);
  try {
    const read = await Promise.all((await marks.owners()).map((owner) => markToRead(marks, root, owner)));
    return read.flatMap(({ undone }) => undone);
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    return stored.flatMap(({ of, undoes }) => (undoes ? [of!] : []));
  }
}
