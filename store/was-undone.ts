import { readFile } from 'node:fs/promises';
import { outermost, undoRunId } from '../pipelines/undo-ids.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { storeBeside } from '../text/store-beside.ts';
import { continuationsOf } from './continuation.ts';
import { createRunStore } from './create-run-store.ts';
import { recordFile, recordIn } from './run-record.ts';
import { undoneSteps } from './undo-runs.ts';

type Of = Pick<FormerRun, 'run' | 'store'>;

/**
 * True where a step of a run was taken back: by an undo of the run; or, of a run that is a step of another, by one of that run, whose undo of
 * that step takes back all that was done there, also by the runs with which this one had gone on. `runs`: the folders of all runs.
 */
export async function wasUndone(of: Of, path: string, runs: ReadonlySet<string>): Promise<boolean> {
  if (runs.has(undoRunId(of.run, 1)) && (await undoneSteps(of)).has(outermost({}, path))) return true;
  for (const each of [of, ...continuationsOf(of)]) {
    const above = await stepAbove(each);
    if (above && (await wasUndone(above.of, above.path, runs))) return true;
  }
  return false;
}

/** The run of which a run is a step, and the path of that step. */
async function stepAbove(of: Of): Promise<{ of: Of; path: string } | undefined> {
  const text = await readFile(createRunStore(of.store).path(recordFile), 'utf8').catch(() => '');
  const origin = recordIn(text, of.run)?.origin;
  if (origin === undefined || !('step' in origin)) return undefined;
  return { of: { run: origin.run, store: storeBeside(of, origin.run) }, path: origin.step };
}
