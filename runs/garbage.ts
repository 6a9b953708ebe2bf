import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { relatedRun } from '../pipelines/run-start.ts';
import type { RunRecord } from '../store/run-record.ts';
import { runsQuery, type RunMemo } from '../workflows/messages.ts';
import { awaitedRuns } from './awaited-runs.ts';
import { endStates } from './end-states.ts';
import { landedGarbage } from './landed-garbage.ts';
import { neededByMarks } from './needed-by-marks.ts';
import { listedWithinMs, readRecord, rootOf, storedRuns, type RunPlace } from './find.ts';

/** Folders of a run that hold what its steps worked with: nobody reads them after a run that ended well. `sweeps` is none: a rerun asks it. */
const workFolders = ['rows', 'upload', 'replace', 'sources'] as const;

/** Begins the name of a folder whose removal has begun: one that a kill has left is removed by the next time. */
export const removed = '.removed-';

export type Garbage = { run: string; path: string; bytes: number; why: 'working files' | 'age' | 'size' | 'left over' };

export type Retention = {
  /** Runs that ended longer ago go whole. */
  olderThanMs: number;
  /** Working files of runs that ended well longer ago go. */
  workAfterMs: number;
  /** Bytes that the folders of all runs may have; beyond it the runs that ended first go whole. */
  mostBytes?: number;
};

/** `lastAt`: when the last of those that continue it ended. */
type Ended = { run: string; facts: RunRecord | undefined; endedAt: number; lastAt: number; bytes: number; well: boolean };

/**
 * What of a run store may go: of runs that are over only, and of none that an open run continues. A run is needed for as long as
 * those that continue it: it ended when the last of them did. The last one that was done of a pipeline that alerts to being late stays,
 * and so does what says of which rows they are read again. Removes nothing.
 */
export async function findGarbage(place: RunPlace, { olderThanMs, workAfterMs, mostBytes }: Retention, now: number): Promise<Garbage[]> {
  const root = rootOf(place.storeRoot);
  const known = await executions(place);
  const ended: Ended[] = [];
  const needed = new Map<string, number>();
  const above = new Map<string, string>();
  const undoing = new Set<string>();
  const need = (run: string, until: number): void => void needed.set(run, Math.max(until, needed.get(run) ?? 0));
  // One that no worker has begun has no folder yet.
  for (const { open, former = [], origin } of known.values()) {
    if (!open) continue;
    for (const { run } of former) need(run, Infinity);
    const { undoes } = relatedRun(origin);
    if (undoes !== undefined) need(undoes, Infinity);
  }
  let bytes = 0;
  for (const run of await storedRuns(place.storeRoot)) {
    const record = await readRecord(place.storeRoot, run);
    const size = await sizeOf(join(root, run));
    bytes += size;
    const execution = known.get(run);
    const startedAt = record && Date.parse(record.startedAt);
    // The cluster's list is some seconds behind.
    const open = execution ? execution.open : startedAt !== undefined && now - startedAt < listedWithinMs;
    const endedAt = open ? Infinity : (execution?.endedAt ?? startedAt);
    // A folder without a record is being started.
    if (endedAt === undefined) continue;
    for (const former of (record ?? execution)?.former ?? []) need(former.run, endedAt);
    const related = relatedRun((record ?? execution)?.origin);
    const of = related.undoes ?? related.above;
    if (of !== undefined) above.set(run, of);
    if (related.undoes !== undefined) {
      // It reads what it takes back.
      need(related.undoes, endedAt);
      undoing.add(run);
    }
    ended.push({ run, facts: record, endedAt, lastAt: endedAt, bytes: size, well: execution?.well ?? false });
  }
  const ends = new Map(ended.map(({ run, endedAt }) => [run, endedAt]));
  /** What a run gave is read by the run whose step it is: it is needed for as long as that. */
  const lastOf = (run: string): number => Math.max(ends.get(run) ?? 0, needed.get(run) ?? 0, above.has(run) ? lastOf(above.get(run)!) : 0);
  const over = ended
    .map((each) => ({ ...each, lastAt: lastOf(each.run) }))
    .filter(({ lastAt }) => lastAt < Infinity)
    // Of runs that continue each other the last goes first; a run goes before those that say what of it was taken back.
    .sort((a, b) => a.lastAt - b.lastAt || Number(undoing.has(a.run)) - Number(undoing.has(b.run)) || b.endedAt - a.endedAt);
  const kept = new Set([
    ...(await awaitedRuns(place.storeRoot, over)),
    ...(await neededByMarks(
      place.storeRoot,
      ended.map(({ run, facts }) => ({
        run,
        of: above.get(run),
        undoes: undoing.has(run),
        former: ((facts ?? known.get(run))?.former ?? []).map((former) => former.run),
      })),
    )),
  ]);
  const nobodys = [...(await leftovers(root)), ...(await landedGarbage(root, now - Math.max(olderThanMs, listedWithinMs)))];
  const garbage: Garbage[] = nobodys.map(({ path, size }) => ({ run: '', path, bytes: size, why: 'left over' }));
  for (const { run, lastAt, bytes: size, well } of over) {
    const due = now - lastAt > olderThanMs ? 'age' : mostBytes !== undefined && bytes > mostBytes ? 'size' : undefined;
    const why = kept.has(run) ? undefined : due;
    if (why) garbage.push({ run, path: join(root, run), bytes: size, why });
    const work = why || !well || now - lastAt < workAfterMs ? [] : await workOf(join(root, run));
    garbage.push(...work.map(({ path, size: part }): Garbage => ({ run, path, bytes: part, why: 'working files' })));
    bytes -= why ? size : work.reduce((sum, part) => sum + part.size, 0);
  }
  return garbage;
}

type Execution = Pick<RunMemo, 'former' | 'origin'> & { open: boolean; well: boolean; endedAt?: number };

/** Executions of all runs that the cluster lists, or of those that a query names, by run: the latest of each. */
export async function executions({ client }: RunPlace, query = runsQuery): Promise<Map<string, Execution>> {
  const known = new Map<string, Execution>();
  for await (const info of client.workflow.list({ query })) {
    const { run, former, origin } = (info.memo ?? {}) as Partial<RunMemo>;
    // Newest first.
    if (run === undefined || known.has(run)) continue;
    const state = endStates[info.status.name];
    known.set(run, {
      open: state === undefined,
      well: state === 'done',
      ...(info.closeTime && { endedAt: info.closeTime.getTime() }),
      ...(former && { former }),
      ...(origin && { origin }),
    });
  }
  return known;
}

const workOf = async (folder: string): Promise<{ path: string; size: number }[]> => {
  const found = [];
  for (const name of workFolders) {
    const size = await sizeOf(join(folder, name));
    if (size > 0) found.push({ path: join(folder, name), size });
  }
  return found;
};

const leftovers = async (root: string): Promise<{ path: string; size: number }[]> => {
  const names = (await readdir(root).catch(() => [])).filter((name) => name.startsWith(removed));
  return Promise.all(names.map(async (name) => ({ path: join(root, name), size: await sizeOf(join(root, name)) })));
};

/** Bytes of all files below a folder; 0 where there is none. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []))
    if (entry.isFile()) bytes += (await lstat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  return bytes;
}
