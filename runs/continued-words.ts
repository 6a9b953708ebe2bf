import { existsSync } from 'node:fs';
import { continuationsOf } from '../store/continuation.ts';
import { createRunStore } from '../store/create-run-store.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import type { RunView } from '../workflows/messages.ts';
import { overStates } from './end-states.ts';
import type { StoredPlace } from './find.ts';
import { lookAtRun } from './view.ts';

/** The last run that went on from another one, and how it stands. */
export type LastContinuation = Pick<RunView, 'run' | 'state'>;

/** The last run that goes on from a run; undefined where none does whose folder is there. */
export async function lastContinuation(place: StoredPlace, of: Pick<FormerRun, 'run' | 'store'>): Promise<LastContinuation | undefined> {
  const last = continuationsOf(of).find(({ store }) => existsSync(createRunStore(store).path()));
  if (!last) return undefined;
  const found = await lookAtRun(place, last.run, { ask: false });
  // Asked about itself it says which file is damaged.
  return { run: last.run, state: found?.view.state ?? 'running' };
}

/** What that run is about, and the command that says more of it, or goes on. */
export function continuedWords({ run, state }: LastContinuation): string {
  if (state === 'done') return `run ${run} has continued it and is done: portolan status ${run}`;
  if (!overStates.has(state)) return `run ${run} continues it (${state}): portolan watch ${run}`;
  return `run ${run} has continued it (${state}): portolan why ${run}`;
}
