import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runsQuery, type RunMemo } from '../workflows/messages.ts';
import { RunProblem } from './errors.ts';
import { createRunStore } from '../store/create-run-store.ts';
import { noRecord, recordFile, recordIn, type RunRecord } from '../store/run-record.ts';
import { isShared } from '../store/shared-folder.ts';

/** Where the runs are: the cluster, and the run store of the configuration (a file: URI of the folder above all runs). */
export type RunPlace = { client: Client; storeRoot: string };

/** The same where Temporal may be away: then what the run store holds is all that is known. */
export type StoredPlace = Omit<RunPlace, 'client'> & { client?: Client };

/** A run found: its id, its workflow and the runs that it continues. `record` where its folder is readable from here. */
export type RunLocation = Pick<RunMemo, 'run' | 'store' | 'former'> & { workflowId: string; firstRunId?: string; record?: RunRecord };

/** Folder above all runs. */
export const rootOf = (storeRoot: string): string => (storeRoot.startsWith('file:') ? fileURLToPath(storeRoot) : storeRoot);

/** Within so long a run that was started stands in the cluster's list of runs. */
export const listedWithinMs = 3_600_000;

/** Ids of the runs that have a folder in the run store. Fails where the disk does not give it: which runs there are is then unknown. */
export const storedRuns = async (storeRoot: string): Promise<string[]> => {
  const entries = await readdir(rootOf(storeRoot), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  const isRun = (name: string): boolean => runIdPattern.test(name) && !isShared(name);
  return entries.filter((entry) => entry.isDirectory() && isRun(entry.name)).map((entry) => entry.name);
};

/**
 * `run.json` of a run; undefined where there is none, or none of this run: one broken file stands in the way of no other run.
 * Fails where the disk does not give it: which runs it continues is then unknown.
 */
export const readRecord = async (storeRoot: string, run: string): Promise<RunRecord | undefined> => {
  const text = await readFile(join(rootOf(storeRoot), run, recordFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return recordIn(text, run);
};

const one = (prefix: string, ids: readonly string[]): string | undefined => {
  if (ids.includes(prefix)) return prefix;
  // The runs of a run's steps have its id and more: what begins them all means it.
  const [shortest] = ids.toSorted((a, b) => a.length - b.length);
  if (shortest !== undefined && ids.every((id) => id === shortest || id.startsWith(`${shortest}.`))) return shortest;
  if (ids.length > 1) {
    const shown = ids.slice(0, 5).join(', ');
    throw new RunProblem(`'${prefix}' begins the ids of ${ids.length} runs: ${shown}${ids.length > 5 ? ', …' : ''}`, 'type more of the id');
  }
  return ids[0];
};

/** An id as runs get it, with its date. */
const wholeId = /-\d{4}-\d\d-\d\d-[0-9a-f]{8}(\.[\w-]+)*$/;

/** Run ids are what a person types: anything else can be no id, and never becomes a path. */
const runIdPattern = /^[\w][\w.-]*$/;

/** What the run store says; where the disk does not give it, `otherwise`, if the cluster can be asked instead. */
export const unlessAsked = <T>(
  { client }: StoredPlace,
  read: Promise<T>,
  otherwise: T,
  lost: (error: unknown) => void = () => undefined,
): Promise<T> =>
  read.catch((error: unknown) => {
    if (!client) throw error;
    lost(error);
    return otherwise;
  });

/** Finds a run by its id or a unique prefix: `run.json` first, else the memos of the cluster. Fails with `RunProblem`, or `DamagedFile` where the cluster cannot be asked instead. */
export const findRun = async (place: StoredPlace, idOrPrefix: string, patience = 20): Promise<RunLocation> => {
  if (runIdPattern.test(idOrPrefix)) {
    const unread: unknown[] = [];
    const lost = (error: unknown): void => void unread.push(error);
    const ids = await unlessAsked(place, storedRuns(place.storeRoot), [], lost);
    const stored = one(
      idOrPrefix,
      ids.filter((id) => id.startsWith(idOrPrefix)),
    );
    const record = stored === undefined ? undefined : await unlessAsked(place, readRecord(place.storeRoot, stored), undefined, lost);
    if (record) {
      const { run, workflowId, store, firstRunId, former } = record;
      return { run, workflowId, store, firstRunId, ...(former && { former }), record };
    }
    const listed = await listedRun(place, idOrPrefix);
    if (listed) return listed;
    if (unread.length > 0) throw unread[0];
    // Of a run that was started this moment neither its folder nor the cluster's list may know yet.
    if (stored === undefined && place.client && wholeId.test(idOrPrefix) && patience > 0) {
      await delay(100);
      return findRun(place, idOrPrefix, patience - 1);
    }
    if (stored !== undefined && !place.client)
      throw noRecord(
        createRunStore(join(rootOf(place.storeRoot), stored)),
        'Temporal knows the run too, while it remembers it: see that it answers (portolan doctor), then again',
      );
    if (stored !== undefined)
      throw new RunProblem(
        `the cluster does not know run ${stored}, and its ${recordFile} says nothing of it`,
        `what it left is in ${join(rootOf(place.storeRoot), stored)}`,
      );
  }
  throw new RunProblem(
    `no run '${idOrPrefix}' is known ${place.client ? 'here' : 'to the run store, and Temporal does not answer'}`,
    'portolan runs lists them',
  );
};

/** What the cluster lists of a run. */
async function listedRun({ client }: StoredPlace, idOrPrefix: string): Promise<RunLocation | undefined> {
  const found = new Map<string, RunLocation>();
  for await (const info of client?.workflow.list({ query: runsQuery }) ?? []) {
    const memo = info.memo as Partial<RunMemo> | undefined;
    // Newest first, so the first execution seen of a chain is its latest.
    if (memo?.run?.startsWith(idOrPrefix) && !found.has(memo.run))
      found.set(memo.run, {
        run: memo.run,
        workflowId: info.workflowId,
        store: memo.store ?? '',
        ...(memo.former && { former: memo.former }),
      });
  }
  const run = one(idOrPrefix, [...found.keys()]);
  return run === undefined ? undefined : found.get(run);
}

/** The latest execution of a run. Its workflow id names no other run: none is used twice. */
export const describeRun = ({ client }: RunPlace, { run, workflowId }: RunLocation) =>
  client.workflow
    .getHandle(workflowId)
    .describe()
    .catch((error: unknown) => {
      throw error instanceof WorkflowNotFoundError ? new Forgotten(run) : error;
    });

/** The history of a run is past the retention time of the cluster. */
export class Forgotten extends RunProblem {
  constructor(run: string) {
    super(
      `the cluster no longer knows run ${run}: its history is past the retention time`,
      'its folder in the run store still holds items and events: portolan items, portolan report',
    );
  }
}
