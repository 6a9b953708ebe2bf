import { existsSync } from 'node:fs';
import { createRunStore } from './create-run-store.ts';
import type { RunStore } from './run-store.ts';

/** A run before this one, and its store. `renamed`: names of its steps that have another name now, by the name of now. */
export type Former = { run: string; store: string; renamed?: { readonly [step: string]: string } };

/** A run of which nobody can know what it did of a step, and why. */
export type Lost = { run: string; why: string };

/** The store of an earlier run, and the name that a step has there; `Lost` where the store is gone. */
export function recordsOf({ run, store, renamed }: Former, step: string): { former: RunStore; name: string } | Lost {
  const former = createRunStore(store);
  if (!existsSync(former.path())) return { run, why: 'the folder of that run is gone' };
  return { former, name: renamed && Object.hasOwn(renamed, step) ? renamed[step]! : step };
}
