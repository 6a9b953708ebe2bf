import { existsSync, readdirSync } from 'node:fs';
import { perhapsTakenBack, undoRunId } from '../pipelines/undo-ids.ts';
import { createRunStore } from './create-run-store.ts';
import type { Former } from './former-runs.ts';
import { readKeptView } from './kept-view.ts';
import { planFile } from './run-record.ts';

type View = { steps: Parameters<typeof perhapsTakenBack>[0] };
type UndoPlan = { steps: { undoes?: string }[] };

/** Runs that take one run back that are looked for. */
const mostUndos = 100;

/**
 * The runs that take a run back, the first one first: their folders stand beside its own. One that was terminated before it began has none.
 */
export function undoRuns({ run, store }: Pick<Former, 'run' | 'store'>): { run: string; store: string }[] {
  const root = store.slice(0, store.lastIndexOf('/'));
  const folder = createRunStore(root).path();
  const there = new Set(existsSync(folder) ? readdirSync(folder) : []);
  return Array.from({ length: mostUndos }, (_, at) => undoRunId(run, at + 1)).flatMap((id) =>
    there.has(id) ? [{ run: id, store: `${root}/${id}` }] : [],
  );
}

/** Steps of a run that were taken back, by the run that did it; also those that may have been, because that run was terminated. */
export async function undoneSteps(of: Pick<Former, 'run' | 'store'>): Promise<Map<string, string>> {
  const undone = new Map<string, string>();
  for (const { run, store } of undoRuns(of)) {
    const folder = createRunStore(store);
    const kept = await readKeptView<View>(folder);
    const planned = kept ? undefined : await folder.readJson<UndoPlan>(planFile).catch(() => undefined);
    const steps = kept ? perhapsTakenBack(kept.view.steps) : (planned?.steps.flatMap(({ undoes }) => undoes ?? []) ?? []);
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
