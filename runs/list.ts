import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { WorkflowNotFoundError, type WorkflowExecutionInfo } from '@temporalio/client';
import { runsQuery, type RunMemo, type RunView } from '../workflows/messages.ts';
import type { Approved, Plan } from '../pipelines/plan.ts';
import type { RunOrigin } from '../pipelines/run-start.ts';
import type { RunTime } from '../pipelines/window.ts';
import { planFile, type RunRecord } from '../store/run-record.ts';
import { endStates } from './end-states.ts';
import { createRunStore } from '../store/create-run-store.ts';
import { readWholeView } from '../store/kept-view.ts';
import { listedWithinMs, readRecord, rootOf, storedRuns, unlessAsked, type StoredPlace } from './find.ts';
import { lastUndo, type LastUndo } from './last-undo.ts';

export type RunLine = {
  run: string;
  pipeline: string;
  /** As in the view of a run; `forgotten`: only its folder is left, which does not say how it ended. */
  state: RunView['state'] | 'forgotten';
  /** Steps that wait for a person, and what an approval lets happen. */
  asks?: { step: string; approves: Approved[] }[];
  startedAt: string;
  endedAt?: string;
  startedBy: string;
  origin?: RunOrigin;
  /** When it was due, and its window. */
  time?: RunTime;
  connections: { [service: string]: string };
  /** Which file keeps a forgotten run from saying how it ended, and why. */
  damaged?: string;
  /** The last run that takes this one back. */
  undone?: LastUndo;
};

async function withUndo(line: RunLine, place: StoredPlace): Promise<RunLine> {
  const store = pathToFileURL(join(rootOf(place.storeRoot), line.run)).href;
  const undone = await unlessAsked(place, lastUndo(place, { run: line.run, store }), undefined);
  return { ...line, ...(undone && { undone }) };
}

/** A run that the cluster's list does not name: forgotten, or so young that the cluster cannot say yet which run it is. */
async function unlisted(
  { client }: StoredPlace,
  { workflowId, firstRunId }: RunRecord,
  isOpen: boolean,
): Promise<Pick<RunLine, 'state' | 'endedAt'>> {
  if (!client) return { state: isOpen ? 'running' : 'forgotten' };
  try {
    const { status, memo, closeTime } = await client.workflow.getHandle(workflowId, firstRunId).describe();
    return { state: stateOf(status.name, memo ?? {}), ...(closeTime && { endedAt: closeTime.toISOString() }) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { state: 'forgotten' };
    throw error;
  }
}

/** What is damaged counts where nothing else says how the run ended. */
const withDamage = <T extends Pick<RunLine, 'state'>>(line: T, damage: { damaged: string } | undefined): T =>
  line.state === 'forgotten' ? { ...line, ...damage } : line;

const stateOf = (status: string, { state }: Partial<RunMemo>): RunView['state'] =>
  status === 'FAILED' && state === 'refused' ? state : (endStates[status] ?? state ?? 'running');

/** A run that another one has begun: one of its steps, or what takes it back. */
const startedByRun = (origin: RunOrigin | undefined): boolean => origin !== undefined && !('command' in origin || 'schedule' in origin);

const scheduleOf = (origin: RunOrigin, reruns: boolean): string | undefined =>
  'schedule' in origin ? origin.schedule : reruns && 'ofSchedule' in origin ? origin.ofSchedule : undefined;

/** False of a run whose folder is surely in another run store. */
const isBelow = (store: string | undefined, root: string): boolean =>
  store === undefined || !store.startsWith('file:') || dirname(fileURLToPath(store)) === resolve(rootOf(root));

/** What gates let happen, by the plan in the run's folder; of a folder that cannot be read from here only the steps are known. */
async function asksOf(steps: readonly string[], store: string | undefined): Promise<NonNullable<RunLine['asks']>> {
  const plan =
    store === undefined
      ? undefined
      : await createRunStore(store)
          .readJson<Plan>(planFile)
          .catch(() => undefined);
  return steps.map((step) => ({ step, approves: plan?.steps.find(({ id }) => id === step)?.approves ?? [] }));
}

/** By how much the end of an execution and the start of the next one of its run may differ, in milliseconds. */
const slackMs = 60_000;

/** True where as many runs as are asked for have begun since an execution ended: those that ended before it are older. */
const isOlder = (
  { closeTime }: WorkflowExecutionInfo,
  lines: ReadonlyMap<string, RunLine>,
  limit: number,
  since = new Date(0),
): boolean => {
  if (!closeTime) return false;
  const ended = new Date(closeTime.getTime() + slackMs).toISOString();
  return (
    ended < since.toISOString() || (lines.size >= limit && [...lines.values()].filter(({ startedAt }) => startedAt > ended).length >= limit)
  );
};

/**
 * Runs of the store that the cluster's list does not name; where it names as many as are asked for only those that may be newer, for it
 * is some seconds behind.
 */
async function recordsBeside(lines: ReadonlyMap<string, RunLine>, limit: number, place: StoredPlace): Promise<RunRecord[]> {
  const isFull = lines.size >= limit;
  const young = new Date(Date.now() - listedWithinMs).toISOString();
  const days = [young, new Date().toISOString()].map((at) => `-${at.slice(0, 10)}-`);
  const [since = ''] = [...lines.values()]
    .map(({ startedAt }) => startedAt)
    .sort()
    .slice(-limit);
  const { storeRoot } = place;
  const beside = (await unlessAsked(place, storedRuns(storeRoot), [])).filter(
    (run) => !lines.has(run) && (!isFull || days.some((day) => run.includes(day))),
  );
  const records = await Promise.all(beside.map((run) => readRecord(storeRoot, run).catch(() => undefined)));
  return records.flatMap((record) => (record && (!isFull || (record.startedAt > young && record.startedAt > since)) ? [record] : []));
}

/**
 * Runs, newest first: those the cluster knows, and those of which only the folder is left, with the state in which its worker saw
 * them end (`forgotten`: it saw no end). Without a cluster: all by their folders, open ones as `running`. `schedule`: those that it has
 * started, with `reruns` also those that continue one of them; `children`: also those that other runs have begun; `since`: those that the
 * cluster knows to have begun from then on, of which folders say nothing more; `store`: those whose folders
 * are in this run store, whatever else the cluster runs.
 */
export const listRuns = async (
  place: StoredPlace,
  {
    limit = 20,
    schedule,
    reruns = false,
    children = false,
    since,
    store,
  }: { limit?: number; schedule?: string; reruns?: boolean; children?: boolean; since?: Date; store?: string } = {},
): Promise<RunLine[]> => {
  const asked = (origin: RunOrigin | undefined): boolean =>
    (children || !startedByRun(origin)) && (schedule === undefined || (origin !== undefined && scheduleOf(origin, reruns) === schedule));
  const lines = new Map<string, RunLine>();
  for await (const info of place.client?.workflow.list({ query: runsQuery }) ?? []) {
    // The cluster lists what is open first, and then what ended last.
    if (isOlder(info, lines, limit, since)) break;
    if (since && info.startTime < since) continue;
    const memo = info.memo as Partial<RunMemo> | undefined;
    if (!memo?.run || !asked(memo.origin) || (store !== undefined && !isBelow(memo.store, store))) continue;
    const seen = lines.get(memo.run);
    // Executions of one chain come newest first: the first gives the state, the last the start.
    if (seen) seen.startedAt = info.startTime.toISOString();
    else
      lines.set(memo.run, {
        run: memo.run,
        pipeline: memo.pipeline ?? '',
        state: stateOf(info.status.name, memo),
        ...(memo.asks && memo.asks.length > 0 && info.status.name === 'RUNNING' && { asks: await asksOf(memo.asks, memo.store) }),
        startedAt: info.startTime.toISOString(),
        ...(info.closeTime && { endedAt: info.closeTime.toISOString() }),
        startedBy: memo.startedBy ?? '',
        ...(memo.origin && { origin: memo.origin }),
        ...(memo.time && { time: memo.time }),
        connections: memo.connections ?? {},
      });
  }
  for (const record of since ? [] : await recordsBeside(lines, limit, place)) {
    if (!asked(record.origin)) continue;
    const { run } = record;
    // One damaged file hides no other run: of its own it is known that it has ended.
    const kept = await readWholeView<RunView>(createRunStore(record.store)).catch((error: Error) => ({ damaged: error.message }));
    lines.set(run, {
      run,
      pipeline: record.pipeline,
      startedAt: record.startedAt,
      ...(kept && 'view' in kept
        ? { state: kept.view.state, endedAt: kept.endedAt }
        : withDamage(await unlisted(place, record, kept === undefined), kept)),
      startedBy: record.startedBy,
      ...(record.origin && { origin: record.origin }),
      ...(record.time && { time: record.time }),
      connections: record.connections,
    });
  }
  const newest = [...lines.values()].sort((a, b) => b.startedAt.localeCompare(a.startedAt)).slice(0, limit);
  return Promise.all(newest.map((line) => withUndo(line, place)));
};
