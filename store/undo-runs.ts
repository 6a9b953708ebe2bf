import { existsSync } from 'node:fs';
import { takenBack, undoRunId } from '../pipelines/undo-ids.ts';
import { createRunStore } from './create-run-store.ts';
import type { Former } from './former-runs.ts';
import { readKeptView } from './kept-view.ts';
import { planFile } from './run-record.ts';

type View = { state: 'done' | 'failed' | 'cancelled'; steps: Parameters<typeof takenBack>[0] };
type UndoPlan = { steps: { undoes?: string }[] };

/** The runs that take a run back, the first one first: their folders stand beside its own. */
export function undoRuns({ run, store }: Pick<Former, 'run' | 'store'>): { run: string; store: string }[] {
  const found = [];
  for (let turn = 1; ; turn++) {
    const id = undoRunId(run, turn);
    const place = store.slice(0, store.lastIndexOf('/') + 1) + id;
    if (!existsSync(createRunStore(place).path())) return found;
    found.push({ run: id, store: place });
  }
}

/** The last run that takes a run back, and how it ended, as far as somebody wrote it down. */
export async function lastUndo(of: Pick<Former, 'run' | 'store'>): Promise<{ run: string; state: View['state'] | 'running' } | undefined> {
  const last = undoRuns(of).at(-1);
  return last && { run: last.run, state: (await readKeptView<View>(createRunStore(last.store)))?.view.state ?? 'running' };
}

/** Steps of a run that were taken back, by the run that did it; also those that may have been, where nobody wrote down how that run ended. */
export async function undoneSteps(of: Pick<Former, 'run' | 'store'>): Promise<Map<string, string>> {
  const undone = new Map<string, string>();
  for (const { run, store } of undoRuns(of)) {
    const folder = createRunStore(store);
    const kept = await readKeptView<View>(folder);
    const planned = kept ? undefined : await folder.readJson<UndoPlan>(planFile).catch(() => undefined);
    const steps = kept ? takenBack(kept.view.steps) : (planned?.steps.flatMap(({ undoes }) => undoes ?? []) ?? []);
    for (const step of steps) if (!undone.has(step)) undone.set(step, run);
  }
  return undone;
}

/** Earlier runs, each with its steps that were taken back. */
export const withUndone = <F extends Former>(runs: readonly F[]): Promise<F[]> =>
  Promise.all(
    runs.map(async (run) => {
      const undone = [...(await undoneSteps(run)).keys()];
      return undone.length === 0 ? run : { ...run, undone };
    }),
  );
