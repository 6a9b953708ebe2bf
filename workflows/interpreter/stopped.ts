import type { Plan } from '../../pipelines/plan.ts';
import { isLeft, placeOf } from './block.ts';
import { parseKey, type State, type StepState } from './state.ts';

/**
 * True of a chunk that is given up before its end, for it may have thousands of rows, or wait for days: the run is paused, or the loop over rows
 * that it is of has failed.
 */
export function isStopped(state: State, plan: Plan, key: string): boolean {
  const { step, phase } = parseKey(key);
  if (phase !== 'chunk') return false;
  const { block, planned } = placeOf(plan, step);
  const { status, error } = state.steps[step]!;
  if (status !== 'running' || isLeft(state, block, planned.id)) return false;
  if (planned.each) return state.paused !== undefined || error !== undefined;
  return planned.goesOn === true && state.paused !== undefined;
}

/** Lets a chunk that was given up be sent again: it goes on where it was. */
export function sendAgain({ sweep }: StepState, chunk: number): void {
  sweep!.redo = [...(sweep!.redo ?? []).filter((each) => each !== chunk), chunk];
  sweep!.stopped = (sweep!.stopped ?? 0) + 1;
}
