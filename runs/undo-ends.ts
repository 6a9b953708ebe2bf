import { undoRunId } from '../pipelines/undo-ids.ts';
import { createRunStore } from '../store/create-run-store.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { keepView, readKeptView } from '../store/kept-view.ts';
import { undoRuns } from '../store/undo-runs.ts';
import type { RunView } from '../workflows/messages.ts';
import { RunProblem } from './errors.ts';
import { findRun, type StoredPlace } from './find.ts';
import { stateOfUndo } from './last-undo.ts';
import { isOver, readRun, type RunSnapshot } from './view.ts';

type Of = Pick<FormerRun, 'run' | 'store'>;

/** The id of the next run that takes a run back. Fails with `RunProblem` where the one before it has not begun yet. */
export async function nextUndo({ client }: Pick<StoredPlace, 'client'>, of: Of): Promise<string> {
  const begun = new Set(undoRuns(of).map(({ run }) => run));
  for (let turn = 1; ; turn++) {
    const id = undoRunId(of.run, turn);
    if (begun.has(id)) continue;
    const state = client && (await stateOfUndo(client, id));
    // One that was terminated before it began has left its id.
    if (state === undefined) return id;
    if (state === 'running') throw beingUndone(of.run, id, 'it has not begun');
  }
}

export const beingUndone = (of: string, run: string, state: string): RunProblem =>
  new RunProblem(`run ${of} is being undone by ${run} (${state})`, `wait for it: portolan watch ${run}`);

/**
 * The runs that take a run back, the first one first. How one ended whose worker could not say so, because its workflow was terminated, is
 * written down, so that whoever asks the run store later knows it too.
 */
export async function readUndoRuns(
  place: StoredPlace,
  of: Of,
): Promise<{ former: { run: string; store: string }; snapshot: RunSnapshot }[]> {
  const found = [];
  for (const former of undoRuns(of)) {
    const snapshot = await readRun(place, await findRun(place, former.run));
    await keepEnd(snapshot);
    found.push({ former, snapshot });
  }
  return found;
}

async function keepEnd({ view, source, store: folder, runId, endedAt, historyEvents }: RunSnapshot): Promise<void> {
  const store = createRunStore(folder);
  if (source !== 'result' || !isOver(view) || view.steps.length === 0 || (await readKeptView<RunView>(store))) return;
  await keepView(store, { view, runId, endedAt: endedAt ?? '', historyEvents });
}
