import { existsSync } from 'node:fs';
import type { FormerRun } from '../pipelines/former-run.ts';
import { byRows, unlessUndone } from '../pipelines/undo-ids.ts';
import { createRunStore } from './create-run-store.ts';
import { gaveRow } from './kept-rows.ts';
import type { RunStore } from './run-store.ts';
import { formerTurn, type StepInTurn } from './turns.ts';
import { renamedPath } from '../text/renamed-path.ts';

/** A run of which nobody can know what it did of a step, and why. */
export type Lost = { run: string; why: string };

/** A step of which earlier runs are asked: as its run begins it, or as the plan names it. */
export type AskedStep = { step: string } | StepInTurn;

/**
 * The store of an earlier run, and the path that a step has there, of a turn that of its item; undefined where that run has no such turn,
 * `Lost` where the store is gone.
 */
export async function recordsOf(
  { run, store, renamed, only }: FormerRun,
  asked: AskedStep,
): Promise<{ former: RunStore; name: string } | Lost | undefined> {
  const former = createRunStore(store);
  if (!existsSync(former.path())) return { run, why: 'the folder of that run is gone' };
  const step = renamedPath(asked.step, renamed);
  const name = 'byItem' in asked ? await formerTurn({ run, store: former, step, ...(only && { exact: true }) }, asked) : step;
  return name === undefined ? undefined : { former, name };
}

/** Of earlier runs, newest first, those whose records of a step still hold: what was taken back is not done, nor what it had taken over. */
export async function standing<F extends FormerRun>(runs: readonly F[], asked: AskedStep): Promise<readonly F[]> {
  const left = unlessUndone(runs, asked.step);
  for (const [at, former] of left.entries()) {
    const records = byRows(former, asked.step) ? await recordsOf(former, asked) : undefined;
    if (records && 'former' in records && (await gaveRow(records.former, records.name))) return left.slice(0, at);
  }
  return left;
}
