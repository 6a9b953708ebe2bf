import { halfTakenBack, takenBack } from '../pipelines/undo-ids.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { storeBeside } from '../text/store-beside.ts';
import { createRunStore } from './create-run-store.ts';
import { readKeptView } from './kept-view.ts';
import { isSince, ownUndone, sharedBefore, undoneSteps, undoRuns, undoRunsSince } from './undo-runs.ts';

type Of = Pick<FormerRun, 'run' | 'store'>;

/** `by`: the run that took back nobody knows how much of a step; with `shared` all that its own run had of it. `of`: whose undo goes on with it. */
export type HalfUndone = { by: string; of: string; shared?: true };

/** A step of a run, as its view has it. */
type Step = { id: string; status: string; startedAt?: string; reusedFrom?: string };

/**
 * Steps of which nobody knows how much stands: what takes them back failed or was cancelled, and was not gone on with, or took back with
 * another run the part that this one shares with it. Of earlier runs, newest first, each of which stands on those behind it: what a newer one
 * has done, or came to when a person had been asked, is not asked again. `steps`: where they are not those that the run has kept.
 */
export async function halfUndone(runs: readonly (Of & { steps?: readonly Step[] })[]): Promise<Map<string, HalfUndone>> {
  const found = new Map<string, HalfUndone>();
  const newer: { of: Of; came: Set<string>; ended: Set<string> }[] = [];
  for (const { run, store, steps: given } of runs) {
    const of = { run, store };
    const steps = given ?? (await readKeptView<{ steps: Step[] }>(createRunStore(store)))?.view.steps ?? [];
    for (const [step, half] of await halfOf(of, steps)) {
      if (found.has(step) || newer.some(({ ended }) => ended.has(step))) continue;
      const asked = newer.filter(({ came }) => came.has(step));
      if (asked.length === 0 || (await isSince({ run: half.by, store: storeBeside(of, half.by) }, asked[0]!.of))) found.set(step, half);
    }
    const came = steps.filter(({ startedAt, reusedFrom }) => startedAt !== undefined || reusedFrom !== undefined);
    const ended = came.filter(({ status }) => status === 'done' || status === 'tolerated').map(({ id }) => id);
    newer.push({ of, came: new Set(came.map(({ id }) => id)), ended: new Set([...ended, ...(await undoneSteps(of)).keys()]) });
  }
  return found;
}

/** Of one run; what it had reused of another one is of that one. */
async function halfOf(of: Of, steps: readonly Step[]): Promise<Map<string, HalfUndone>> {
  const whole = await undoneSteps(of);
  const found = new Map<string, HalfUndone>();
  for (const [step, by] of await ownHalf(undoRuns(of))) found.set(step, { by, of: of.run });
  for (const { step, other, was } of await sharedBefore(of)) {
    const since = await undoRunsSince(other, of);
    const [part, all] = [(await ownHalf(since)).get(was), (await ownUndone(other, since)).get(was)];
    const by = part ?? all;
    if (by !== undefined && !found.has(step)) found.set(step, { by, of: of.run, ...(part === undefined && { shared: true }) });
  }
  for (const step of whole.keys()) found.delete(step);
  for (const [run, reused] of Map.groupBy(steps, ({ reusedFrom }) => reusedFrom)) {
    if (run === undefined) continue;
    for (const [step, half] of await halfOf({ run, store: storeBeside(of, run) }, []))
      if (reused.some(({ id }) => id === step) && (await isSince({ run: half.by, store: storeBeside(of, half.by) }, of)))
        found.set(step, half);
  }
  return found;
}

async function ownHalf(undoing: readonly Of[]): Promise<Map<string, string>> {
  const half = new Map<string, string>();
  for (const { run, store } of undoing) {
    const steps = (await readKeptView<{ steps: Step[] }>(createRunStore(store)))?.view.steps ?? [];
    for (const step of halfTakenBack(steps)) half.set(step, run);
    for (const step of takenBack(steps)) half.delete(step);
  }
  return half;
}

/** What is said of such a step. */
export const halfWords = (step: string, { by, of, shared }: HalfUndone): string =>
  shared
    ? `${by} has taken back a part of step ${step} of run ${of}, which another run shares`
    : `nobody knows how much of step ${step} ${by} has taken back: it ended before it was through`;
