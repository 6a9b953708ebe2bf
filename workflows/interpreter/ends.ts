import { hasEnd } from '../../pipelines/ends.ts';
import { reactionTo, weightier } from '../../pipelines/error-classes.ts';
import type { EndStatus, PlanStep } from '../../pipelines/plan.ts';
import type { RunError, SkipCause } from '../messages.ts';
import { isOpen } from './children.ts';
import { blocksOf, isLeft, isThrough, keeperOf, placeOf, reactionOf, rootOf, type Block } from './block.ts';
import { becomes, giveUpRetry, retryLater } from './retries.ts';
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
    // What the run fails by outweighs what is tolerated or tried again.
    const isFinal = (each: RunError): boolean => becomes(planned, culprit, each) === 'failed';
    if (!culprit.error || (!isFinal(culprit.error) && isFinal(error))) culprit.error = error;
    if (culprit.status !== 'running') end(culprit, endOf(planned, culprit), world.now);
    // Of a loop whose failure is not the run's nobody goes on with the turns either: a gate in one of them would wait for a person.
    if (!isFinal(culprit.error)) return skipLeft(state, world);
  }
  failBlock(state, world, place?.block ?? rootOf(world.plan), error);
}

/** Ends a turn, what is done about a failure, or the run by its first failure, or by one after which nobody knows what was done. */
function failBlock(state: State, world: World, block: Block, error: RunError): void {
  const keeper = keeperOf(state, block) ?? state;
  keeper.error = weightier(keeper.error, error);
  skipLeft(state, world);
}

const endOf = (planned: PlanStep, step: StepState): EndStatus =>
  becomes(planned, step, step.error!) === 'tolerated' ? 'tolerated' : 'failed';

/** The end of a step about whose failure something was done: tolerated where that is done, and else a failure of its own. */
function endReaction(state: State, world: World, block: Block, planned: PlanStep): void {
  const path = block.path + planned.id;
  const step = state.steps[path]!;
  const { error: second } = step.reaction!;
  end(step, second ? 'failed' : 'tolerated', world.now);
  if (!second) return;
  const { step: at, message } = second;
  step.error = {
    ...weightier(step.error, second),
    message: `${step.error!.message}; what is done about it failed too, at ${at}: ${message}`,
  };
  failBlock(state, world, block, { ...step.error, step: path });
}

/** Ends the steps that failed, and those that are not gone on with, where nothing of them is under way any more. True where there were some. */
export function close(state: State, world: World): boolean {
  const busy = new Set(state.inflight.map((key) => parseKey(key).step));
  let some = false;
  for (const block of blocksOf(state, world.plan))
    for (const planned of block.steps) {
      const path = block.path + planned.id;
      const step = state.steps[path]!;
      const left = isLeft(state, block, planned.id);
      if (step.status !== 'running' || !(step.error || left) || busy.has(path)) continue;
      if (isOpen(step.child)) continue;
      if (step.sweep?.unsettled?.length || Object.keys(step.loop?.open ?? {}).length > 0) continue;
      if (step.reaction && !isThrough(state, reactionOf(block, planned, step.reaction.on))) continue;
      some = true;
      if (step.reaction && !left) endReaction(state, world, block, planned);
      else if (left || !goesOn(state, block, planned, step, world.now)) closeStep(planned, step, world.now);
    }
  return some;
}

/** A failed step that has not ended: it waits for its next try, or something is done about its failure. */
function goesOn(state: State, block: Block, planned: PlanStep, step: StepState, now: number): boolean {
  if (retryLater(planned, step, now)) return true;
  const { does, on } = reactionTo(planned.onError, step.error!);
  if (does !== 'steps' || step.sweep?.redo?.length) return false;
  step.reaction = { on: on! };
  const { path, steps } = reactionOf(block, planned, on!);
  for (const { id } of steps) state.steps[path + id] = { status: 'waiting' };
  return true;
}

function closeStep(planned: PlanStep, step: StepState, now: number): void {
  giveUpRetry(step);
  // What became of chunks that are not sent again is asked first.
  if (step.sweep?.unsettled?.length) return;
  end(step, step.error ? endOf(planned, step) : 'cancelled', now);
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
