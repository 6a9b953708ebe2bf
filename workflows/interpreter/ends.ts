import type { Plan } from '../../pipelines/plan.ts';
import type { RunError, SkipCause } from '../messages.ts';
import { reacting } from './lattice.ts';
import { parseKey, type World, type State, type StepState } from './state.ts';

export const open = (step: StepState): boolean => step.status === 'waiting' || step.status === 'running' || step.status === 'approval';
export const iso = (ms: number): string => new Date(ms).toISOString();

export function end(step: StepState, status: StepState['status'], now: number): void {
  step.status = status;
  step.endedAt = now;
}

export function skip(step: StepState, cause: SkipCause, now: number): void {
  step.skipped = cause;
  end(step, 'skipped', now);
}

/**
 * Records a failure. A step ends when nothing of it is under way any more (`close`), so that what follows it follows all that it did.
 * Where the file tolerates its failure the run goes on; any other is the run's, of which the first one stands.
 */
export function fail(state: State, world: World, error: RunError): void {
  const culprit = error.step === undefined ? undefined : state.steps[error.step];
  if (culprit) {
    // Of a step that has ended nothing can fail any more.
    if (!open(culprit)) return;
    culprit.error ??= error;
    const tolerated = isTolerated(world.plan, error.step);
    if (culprit.status !== 'running') end(culprit, tolerated ? 'tolerated' : 'failed', world.now);
    if (tolerated) return;
  }
  state.error ??= error;
  skipRest(state, world.plan, world.now);
}

const isTolerated = ({ steps }: Plan, id: string | undefined): boolean =>
  steps.some((step) => step.id === id && step.onError === 'tolerate');

/** True of a step that a failed run does not go on with. */
export const isLeft = (state: State, plan: Plan, id: string): boolean => state.error !== undefined && !reacting(plan).has(id);

/** Ends the steps that failed, and those that a failed run does not go on with, where nothing of them is under way any more. True where there were some. */
export function close(state: State, { plan, now }: World): boolean {
  const busy = new Set(state.inflight.map((key) => parseKey(key).step));
  let some = false;
  for (const [id, step] of Object.entries(state.steps)) {
    if (step.status !== 'running' || !(step.error || isLeft(state, plan, id)) || busy.has(id) || step.sweep?.unsettled?.length) continue;
    end(step, !step.error ? 'cancelled' : isTolerated(plan, id) ? 'tolerated' : 'failed', now);
    some = true;
  }
  return some;
}

/** Of a failed run nothing begins but what reacts to failures. */
function skipRest(state: State, plan: Plan, now: number): void {
  for (const [id, step] of Object.entries(state.steps))
    if ((step.status === 'waiting' || step.status === 'approval') && isLeft(state, plan, id)) skip(step, { because: 'run' }, now);
}

/** An expression's error says its kind (`expression-result` …) as `type`. */
export function typeOf(error: unknown): string {
  if (error instanceof Error && 'type' in error && typeof error.type === 'string') return error.type;
  return error instanceof Error ? error.name : 'Error';
}
