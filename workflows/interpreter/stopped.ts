import type { Plan } from '../../pipelines/plan.ts';
import { isLeft, placeOf } from './block.ts';
import { isContinued } from './retries.ts';
import { parseKey, type State, type StepState } from './state.ts';

/**
 * True of a chunk that is given up before its end, for it may have thousands of rows, or wait for days: the run is paused, or is to continue
 * as new (`draining`), or the loop over rows that it is of has failed.
 */
export function isStopped(state: State, plan: Plan, key: string, draining: boolean): boolean {
  const { step: path, phase } = parseKey(key);
  if (phase !== 'chunk') return false;
  const { block, planned } = placeOf(plan, path);
  const step = state.steps[path]!;
  if (step.status !== 'running' || isLeft(state, block, planned.id)) return false;
  // What rows have sent and is not answered in time is known to nobody: only a person, or a failure, gives that up.
  if (planned.each) return state.paused !== undefined || step.error !== undefined;
  // With a step that ends by its failure no execution goes on.
  return planned.goesOn === true && (state.paused !== undefined || (draining && isContinued(planned, step)));
}

/** Lets a chunk that was given up be sent again: it goes on where it was. */
export function sendAgain({ sweep }: StepState, chunk: number): void {
  sweep!.redo = [...(sweep!.redo ?? []).filter((each) => each !== chunk), chunk];
  sweep!.stopped = (sweep!.stopped ?? 0) + 1;
}
