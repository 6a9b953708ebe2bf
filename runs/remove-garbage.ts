import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { endStates } from './end-states.ts';
import { RunProblem } from './errors.ts';
import { describeRun, findRun, readRecord, rootOf, storedRuns, type RunPlace } from './find.ts';
import { executions, listedWithinMs, removed, type Garbage } from './garbage.ts';

/**
 * Removes what was found, but for what is needed again since: just before a folder goes, it is looked up whether its run is still over
 * and no run of the store continues it. A folder gets another name first, so that no half of a run is left after a kill. Returns what
 * was removed.
 */
export async function removeGarbage(place: RunPlace, garbage: readonly Garbage[]): Promise<Garbage[]> {
  const root = rootOf(place.storeRoot);
  const former: FormerOf = new Map();
  const gone: Garbage[] = [];
  for (const [index, each] of garbage.entries()) {
    const { run, path, why } = each;
    const leftOver = why === 'left over';
    if (!leftOver && !(await isOver(place, run))) continue;
    if ((why === 'age' || why === 'size') && (await isContinued(place, run, former))) continue;
    const aside = leftOver ? path : join(root, `${removed}${process.pid}-${index}`);
    if (!leftOver && !(await renamed(path, aside))) continue;
    await rm(aside, { recursive: true, force: true, maxRetries: 3 });
    gone.push(each);
  }
  return gone;
}

/** Whether a run is over; one that the cluster no longer knows is. */
const isOver = async (place: RunPlace, run: string): Promise<boolean> => {
  try {
    const { status } = await describeRun(place, await findRun(place, run));
    return endStates[status.name] !== undefined;
  } catch (error) {
    if (error instanceof RunProblem) return true;
    throw error;
  }
};

/** Which runs a run continues, of runs that were read: that never changes. */
type FormerOf = Map<string, readonly string[]>;

/** Whether a run that is in the store now continues another; one that is being started, of which nobody knows yet, may. */
async function isContinued(place: RunPlace, run: string, known: FormerOf): Promise<boolean> {
  const runs = (await storedRuns(place.storeRoot)).filter((each) => each !== run);
  const unread = runs.filter((each) => !known.has(each));
  let listed: Awaited<ReturnType<typeof executions>> | undefined;
  for (const each of unread) {
    const record = await readRecord(place.storeRoot, each);
    const facts = record ?? (listed ??= await executions(place)).get(each);
    if (facts)
      known.set(
        each,
        (facts.former ?? []).map((former) => former.run),
      );
    else if (await isYoung(join(rootOf(place.storeRoot), each))) return true;
  }
  return runs.some((each) => known.get(each)?.includes(run));
}

const isYoung = async (folder: string): Promise<boolean> => {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < listedWithinMs;
};

/** False where another process was first. */
const renamed = (from: string, to: string): Promise<boolean> =>
  rename(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
