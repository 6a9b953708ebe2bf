import { relatedRun } from '../pipelines/run-start.ts';
import { RunProblem } from './errors.ts';
import { findRun, type RunLocation, type StoredPlace } from './find.ts';
import { listRuns } from './list.ts';

/** The run of this id or unique prefix; without one the newest of this run store. Fails with `RunProblem`. */
export async function findRunOrNewest(place: StoredPlace, idOrPrefix?: string): Promise<RunLocation> {
  if (idOrPrefix !== undefined) return findRun(place, idOrPrefix);
  const [newest] = await listRuns(place, { limit: 1, store: place.storeRoot });
  if (!newest) throw new RunProblem('no run is known here', 'portolan run FILE starts one');
  return findRun(place, newest.run);
}

/**
 * The run of this id or unique prefix; without one the newest of this run store, whatever else the cluster runs, that takes no other one
 * back. Fails with `RunProblem`.
 */
export async function findRunToUndo(place: StoredPlace, idOrPrefix?: string): Promise<RunLocation> {
  if (idOrPrefix !== undefined) return findRun(place, idOrPrefix);
  const newest = (await listRuns(place, { limit: 100, store: place.storeRoot })).find(
    ({ origin }) => relatedRun(origin).undoes === undefined,
  );
  if (!newest) throw new RunProblem('no run is known here that could be undone', 'portolan runs lists them');
  return findRun(place, newest.run);
}

/** The run of this id or unique prefix; without one the run of this run store that is open, where there is no other. Fails with `RunProblem`. */
export async function findRunOrOpen(place: StoredPlace, idOrPrefix?: string): Promise<RunLocation> {
  if (idOrPrefix !== undefined) return findRun(place, idOrPrefix);
  const open = (await listRuns(place, { limit: 1_000, store: place.storeRoot })).filter(
    ({ state }) => state === 'running' || state === 'queued' || state === 'paused' || state === 'approval',
  );
  const [only, ...others] = open;
  if (!only) throw new RunProblem('no run is open', 'portolan runs lists those that were');
  if (others.length > 0)
    throw new RunProblem(
      `${open.length} runs are open: ${open
        .slice(0, 5)
        .map(({ run }) => run)
        .join(', ')}${open.length > 5 ? ', …' : ''}`,
      'name one of them',
    );
  return findRun(place, only.run);
}
