import { hasEnd, isTolerated } from '../../pipelines/ends.ts';
import type { EndStatus, PlanStep } from '../../pipelines/plan.ts';
import type { RunError, SkipCause } from '../messages.ts';
import { blocksOf, isLeft, loopOf, placeOf } from './block.ts';
import { parseKey, type World, type State, type StepState } from './state.ts';

export const open = ({ status }: StepState): boolean => !hasEnd(status);
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
  const place = error.step === undefined ? undefined : placeOf(world.plan, error.step);
  const culprit = error.step === undefined ? undefined : state.steps[error.step];
  if (place && culprit) {
    const { planned } = place;
    // Of a step that has ended nothing can fail any more.
    if (!open(culprit)) return;
    // That nobody knows what was done outweighs a failure that is tolerated.
    if (!culprit.error || (isTolerated(planned, culprit.error) && !isTolerated(planned, error))) culprit.error = error;
    if (culprit.status !== 'running') end(culprit, endOf(planned, error), world.now);
    if (isTolerated(planned, culprit.error)) return;
  }
  const turn = place && loopOf(state, place.block)?.open[place.block.of!.index];
  if (turn) turn.error ??= error;
  else state.error ??= error;
  skipLeft(state, world);
}

const endOf = (planned: PlanStep, error: RunError): EndStatus => (isTolerated(planned, error) ? 'tolerated' : 'failed');

/** Ends the steps that failed, and those that are not gone on with, where nothing of them is under way any more. True where there were some. */
export function close(state: State, { plan, now }: World): boolean {
  const busy = new Set(state.inflight.map((key) => parseKey(key).step));
  let some = false;
  for (const block of blocksOf(state, plan))
    for (const planned of block.steps) {
      const path = block.path + planned.id;
      const step = state.steps[path]!;
      if (step.status !== 'running' || !(step.error || isLeft(state, block, planned.id)) || busy.has(path)) continue;
      if (step.sweep?.unsettled?.length || Object.keys(step.loop?.open ?? {}).length > 0) continue;
      end(step, step.error ? endOf(planned, step.error) : 'cancelled', now);
      some = true;
    }
  return some;
}

/** Nothing begins any more but what reacts to failures. */
function skipLeft(state: State, { plan, now }: World): void {
  for (const block of blocksOf(state, plan))
    for (const { id } of block.steps) {
      const step = state.steps[block.path + id]!;
      if ((step.status === 'waiting' || step.status === 'approval') && isLeft(state, block, id)) skip(step, { because: 'failure' }, now);
    }
}

/**
 * The interpreter itself has failed: what is not under way is not gone on with, whether it reacts to failures or not, so that the run
 * ends when the rest has.
 */
export function abandon(state: State, world: World, error: RunError): void {
  state.error ??= error;
  const busy = new Set(state.inflight.map((key) => parseKey(key).step));
  for (const [id, step] of Object.entries(state.steps)) {
    if (step.status === 'running' && !busy.has(id)) end(step, step.error ? 'failed' : 'cancelled', world.now);
    if (step.status === 'waiting' || step.status === 'approval') skip(step, { because: 'failure' }, world.now);
  }
}

/** An expression's error says its kind (`expression-result` …) as `type`. */
export function typeOf(error: unknown): string {
  if (error instanceof Error && 'type' in error && typeof error.type === 'string') return error.type;
  return error instanceof Error ? error.name : 'Error';
}
