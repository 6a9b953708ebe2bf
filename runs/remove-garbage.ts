import { randomUUID } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { landingFolder } from '../landing/landing.ts';
import { relatedRun } from '../pipelines/run-start.ts';
import { runsQuery, type RunMemo } from '../workflows/messages.ts';
import { endStates } from './end-states.ts';
import { RunProblem } from './errors.ts';
import { describeRun, findRun, listedWithinMs, readRecord, rootOf, storedRuns, type RunPlace } from './find.ts';
import { executions, removed, type Garbage } from './garbage.ts';

/**
 * Removes what was found, but for what is needed again since: just before a folder goes, it is looked up whether its run is still over
 * and no run of the store continues it. A folder gets another name first, so that no half of a run is left after a kill. Returns what
 * was removed.
 */
export async function removeGarbage(place: RunPlace, garbage: readonly Garbage[]): Promise<Garbage[]> {
  const root = rootOf(place.storeRoot);
  const known: Known = new Map();
  const gone: Garbage[] = [];
  for (const each of garbage) {
    const { run, path, why } = each;
    const leftOver = why === 'left over';
    // A run has asked for it since, and takes it in a moment.
    if (path.startsWith(join(root, landingFolder)) && (await isYoung(path))) continue;
    if (!leftOver && !(await isOver(place, run))) continue;
    if ((why === 'age' || why === 'size') && (await isNeeded(place, run, known))) continue;
    const aside = leftOver ? path : join(root, `${removed}${randomUUID()}`);
    if (!leftOver && !(await renamed(path, aside))) continue;
    await rm(aside, { recursive: true, force: true, maxRetries: 3 });
    gone.push(each);
  }
  return gone;
}

const openQuery = `${runsQuery} AND ExecutionStatus = 'Running'`;

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

/** Which runs a run continues, which one it takes back, and whose step it is. */
type Relations = { former: readonly string[]; undoes?: string | undefined; above?: string | undefined };

const relationsOf = ({ former = [], origin }: Pick<RunMemo, 'former' | 'origin'>): Relations => ({
  former: former.map(({ run }) => run),
  ...relatedRun(origin),
});

/** Of runs that were read: that never changes. */
type Known = Map<string, Relations>;

/**
 * Whether a run that is in the store now, or that the cluster is to begin, continues another, or one above it, or takes it back at the moment;
 * one that is being started, of which nobody knows yet, may.
 */
async function isNeeded(place: RunPlace, run: string, known: Known): Promise<boolean> {
  const runs = await storedRuns(place.storeRoot);
  let listed: Awaited<ReturnType<typeof executions>> | undefined;
  for (const each of runs.filter((one) => !known.has(one))) {
    const record = await readRecord(place.storeRoot, each);
    const facts = record ?? (listed ??= await executions(place)).get(each);
    if (facts) known.set(each, relationsOf(facts));
    else if (each !== run && (await isYoung(join(rootOf(place.storeRoot), each)))) return true;
  }
  const line: string[] = [];
  for (let at: string | undefined = run; at !== undefined && !line.includes(at); at = known.get(at)?.above) line.push(at);
  // One that no worker has begun has no folder yet.
  const open = [...(await executions(place, openQuery))].filter(([each]) => !runs.includes(each));
  const others = [
    ...runs.flatMap((each) => (each === run ? [] : [{ run: each, ...known.get(each) }])),
    ...open.map(([each, facts]) => ({ run: each, ...relationsOf(facts) })),
  ];
  if (others.some(({ former = [] }) => former.some((each) => line.includes(each)))) return true;
  for (const { run: other, undoes } of others) if (undoes === run && !(await isOver(place, other))) return true;
  return false;
}

/** False of what is not there any more. */
const isYoung = async (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < listedWithinMs,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );

/** False where another process was first. */
const renamed = (from: string, to: string): Promise<boolean> =>
  rename(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
