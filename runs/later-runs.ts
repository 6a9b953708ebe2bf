import { existsSync } from 'node:fs';
import { continuationsOf } from '../store/continuation.ts';
import { createRunStore } from '../store/create-run-store.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import type { RunRecord } from '../store/run-record.ts';
import { RunProblem } from './errors.ts';
import { readRecord, storedRuns, type RunLocation, type RunPlace } from './find.ts';
import { isOver, lookAtRun, type RunSnapshot } from './view.ts';

/** A run that was begun after another one, with what that knew. `snapshot`: absent where nothing but its name is left. */
export type LaterRun = { former: Pick<FormerRun, 'run' | 'store'>; snapshot?: RunSnapshot };

/** Records that are read at once. */
const atOnce = 64;

/**
 * Runs beside those that a run knows of: reruns of it, of a run before it, and of those, newest first. `apart`: two of them neither of which
 * knows of the other, as runs of an earlier version may be. Fails with `RunProblem` where one of them has not ended.
 */
export async function laterRuns(
  place: RunPlace,
  { run, store, former = [] }: Pick<RunLocation, 'run' | 'store' | 'former'>,
): Promise<{ runs: LaterRun[]; apart?: [string, string] }> {
  const known = new Set([run, ...former.map((each) => each.run)]);
  const records = await continuing(place.storeRoot, known);
  const [newest, ...others] = records;
  const apart = newest && [...others, { run }].find((other) => !newest.former!.some((each) => each.run === other.run));
  const ordered = new Map<string, LaterRun['former']>();
  // Of a run whose folder is gone the one before it still says that it was there.
  const claims = [{ run, store }, ...former, ...records].flatMap(continuationsOf);
  const unknown = claims.filter((each) => !newest?.former!.some((of) => of.run === each.run) && !records.some((of) => of.run === each.run));
  for (const each of [...unknown, ...(newest ? [newest, ...newest.former!] : []), ...others])
    if (!known.has(each.run)) ordered.set(each.run, { run: each.run, store: each.store });
  const runs: LaterRun[] = [];
  for (const each of ordered.values()) {
    const snapshot = await lookAt(place, each.run);
    if (snapshot && !isOver(snapshot.view)) throw isContinued(run, each.run, snapshot.view.state);
    if (!existsSync(createRunStore(each.store).path()) && snapshot && didNothing(snapshot)) continue;
    runs.push({ former: each, ...(snapshot && { snapshot }) });
  }
  return { runs, ...(apart && { apart: [newest.run, apart.run] as [string, string] }) };
}

/** Records of the runs that continue one of these and are none of them. A run that knows of more is newer. */
async function continuing(storeRoot: string, known: ReadonlySet<string>): Promise<RunRecord[]> {
  const ids = (await storedRuns(storeRoot)).filter((id) => !known.has(id));
  const found: RunRecord[] = [];
  for (let at = 0; at < ids.length; at += atOnce)
    for (const record of await Promise.all(ids.slice(at, at + atOnce).map((id) => readRecord(storeRoot, id))))
      if (record?.former?.some((each) => known.has(each.run))) found.push(record);
  return found.toSorted((a, b) => b.former!.length - a.former!.length || b.startedAt.localeCompare(a.startedAt));
}

/** How a run stands; undefined where nobody knows it any more. */
async function lookAt(place: RunPlace, run: string): Promise<RunSnapshot | undefined> {
  try {
    const snapshot = await lookAtRun(place, run);
    // The cluster has forgotten it: it is over, whatever its folder says.
    return snapshot?.source === 'store' && !isOver(snapshot.view) ? undefined : snapshot;
  } catch (error) {
    if (error instanceof RunProblem) return undefined;
    throw error;
  }
}

/** It was ended before it began. */
const didNothing = ({ view, source }: RunSnapshot): boolean =>
  source === 'result' && view.steps.every(({ startedAt }) => startedAt === undefined);

const isContinued = (run: string, by: string, state: string): RunProblem =>
  new RunProblem(
    `run ${run} is continued by run ${by}, which has not ended (${state}): what that does must not be done twice`,
    `wait for it (portolan watch ${by}), or end it (portolan cancel ${by}); then portolan rerun ${by}`,
  );
