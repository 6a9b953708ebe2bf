import type { FormerRun } from '../pipelines/former-run.ts';
import { createRunStore } from '../store/create-run-store.ts';
import { takenOver } from '../store/taken-over.ts';
import { undoneSteps } from '../store/undo-runs.ts';
import { readRecord, storedRuns, type StoredPlace } from './find.ts';
import { lastUndo } from './last-undo.ts';
import { isOver, lookAtRun, type RunSnapshot } from './view.ts';

/** A later run that took over results of a run, of which steps, and how it stands. */
export type StandsOn = { run: string; state: RunSnapshot['view']['state']; steps: string[] };

/**
 * Later runs that stand on results which are about to be taken back: reruns that took them over and go on, are done, or have done something
 * themselves that is not taken back. `taken`: the steps that are taken back.
 */
export async function standingOn(place: StoredPlace, of: string, taken: ReadonlySet<string>): Promise<StandsOn[]> {
  const found: StandsOn[] = [];
  for (const run of await storedRuns(place.storeRoot)) {
    const record = await readRecord(place.storeRoot, run).catch(() => undefined);
    if (!record?.former?.some((former) => former.run === of)) continue;
    const snapshot = await lookAtRun(place, run);
    if (!snapshot) continue;
    const { state, steps: views } = snapshot.view;
    const open = !isOver(snapshot.view);
    const over = new Map(
      (await takenOver(createRunStore(snapshot.store))).flatMap((each) => (each.run === of ? [[each.step, each.was]] : [])),
    );
    const steps = views.flatMap(({ id, reusedFrom, status }) => {
      const was = over.get(id);
      if (was !== undefined && taken.has(was)) return [was];
      return taken.has(id) && (reusedFrom === of || (open && status === 'waiting')) ? [id] : [];
    });
    if (steps.length > 0 && (open || (await stands(place, snapshot)))) found.push({ run, state, steps });
  }
  return found;
}

/** A run that has ended stands where it is done, and not taken back, or has done something of its own that is not. */
async function stands(place: StoredPlace, { view, store }: RunSnapshot): Promise<boolean> {
  const of: Pick<FormerRun, 'run' | 'store'> = { run: view.run, store };
  if (view.state === 'done') return (await lastUndo(place, of))?.state !== 'done';
  const undone = await undoneSteps(of);
  return view.steps.some(
    ({ id, kind, status, reusedFrom }) =>
      (status === 'done' || status === 'tolerated') && kind !== 'gate' && reusedFrom === undefined && !undone.has(id),
  );
}
