import { existsSync } from 'node:fs';
import { createRunStore } from './create-run-store.ts';
import type { RunStore } from './run-store.ts';
import { formerTurn, type StepInTurn } from './turns.ts';
import { renamedPath } from '../text/renamed-path.ts';

/**
 * A run before this one, and its store. `renamed`: names of its steps that have another name now, by the name of now; `undone`: steps of it
 * that were taken back.
 */
export type Former = { run: string; store: string; renamed?: { readonly [step: string]: string }; undone?: readonly string[] };

/** A run of which nobody can know what it did of a step, and why. */
export type Lost = { run: string; why: string };

/** Of earlier runs, newest first, those whose records of a step still hold: what was taken back is not done, nor what it had taken over. */
export function standing<F extends Former>(runs: readonly F[], step: string): readonly F[] {
  const id = step.replace(/[[.].*$/s, '');
  const end = runs.findIndex(({ renamed, undone }) => undone?.includes(renamed && Object.hasOwn(renamed, id) ? renamed[id]! : id));
  return end < 0 ? runs : runs.slice(0, end);
}

/** A step of which earlier runs are asked: as its run begins it, or as the plan names it. */
export type AskedStep = { step: string } | StepInTurn;

/**
 * The store of an earlier run, and the path that a step has there, of a turn that of its item; undefined where that run has no such turn,
 * `Lost` where the store is gone.
 */
export async function recordsOf(
  { run, store, renamed }: Former,
  asked: AskedStep,
): Promise<{ former: RunStore; name: string } | Lost | undefined> {
  const former = createRunStore(store);
  if (!existsSync(former.path())) return { run, why: 'the folder of that run is gone' };
  const step = renamedPath(asked.step, renamed);
  const name = 'byItem' in asked ? await formerTurn({ run, store: former, step }, asked) : step;
  return name === undefined ? undefined : { former, name };
}
