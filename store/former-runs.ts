import { existsSync } from 'node:fs';
import { createRunStore } from './create-run-store.ts';
import type { RunStore } from './run-store.ts';

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

/** The store of an earlier run, and the name that a step has there; `Lost` where the store is gone. */
export function recordsOf({ run, store, renamed }: Former, step: string): { former: RunStore; name: string } | Lost {
  const former = createRunStore(store);
  if (!existsSync(former.path())) return { run, why: 'the folder of that run is gone' };
  return { former, name: renamed && Object.hasOwn(renamed, step) ? renamed[step]! : step };
}
