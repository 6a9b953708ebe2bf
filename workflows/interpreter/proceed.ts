import { evaluateTree, type Scope } from '../../pipelines/expressions/evaluate.ts';
import { stepsIn } from '../../pipelines/expressions/references.ts';
import { isKept, isLarge } from '../../pipelines/kept.ts';
import { acceptedOf, hasEnd } from '../../pipelines/ends.ts';
import type { EndStatus, PlanStep } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { milliseconds } from '../../text/duration.ts';
import { ExpressionError } from '../../pipelines/expressions/error.ts';
import { fail, isLeft, skip, typeOf } from './ends.ts';
import { takeOver } from './take-over.ts';
import type { World } from './state.ts';
import { scopeOf } from './scope.ts';
import { keyOf, type ActivityPhase, type Command, type State, type StepState } from './state.ts';

/** Begins every step whose needs have ended as it accepts, and skips those that never will. True where there were some. */
export function advance(state: State, world: World): boolean {
  if (state.cancelled || state.paused || state.sources === undefined) return false;
  let some = false;
  for (const planned of world.plan.steps) {
    const step = state.steps[planned.id]!;
    if (step.status !== 'waiting') continue;
    const ends = planned.needs.map((need) => ({ need, status: state.steps[need]?.status }));
    if (!ends.every(({ status }) => hasEnd(status))) continue;
    some = true;
    const refused = ends.find(({ need, status }) => !acceptedOf(planned, need).includes(status as EndStatus));
    if (refused) skip(step, { because: 'needs', step: refused.need, status: refused.status as EndStatus }, world.now);
    else begin(state, planned, step, world);
  }
  return some;
}

export const allEnded = (state: State): boolean => Object.values(state.steps).every(({ status }) => hasEnd(status));

/** Works out the outputs once every step has ended, unless a worker has to. */
export function conclude(state: State, world: World): void {
  if (state.error || state.cancelled || state.outputs || !allEnded(state)) return;
  const outputs = evaluateHere(world.plan.outputs, scopeOf(state, world));
  if (outputs !== undefined) state.outputs = outputs as { [name: string]: Json };
}

/** Everything that can be sent now and is not under way. Reads the state only: the caller records what it sends. */
export function commandsOf(state: State, world: World, draining: boolean): Command[] {
  const busy = new Set(state.inflight);
  const all = [...settling(state), ...(draining || state.cancelled ? [] : wanted(state, world))];
  return all.filter(({ key }) => !busy.has(key));
}

/** Of a step that is over: what became of the chunks that nobody reported. */
const settling = ({ steps }: State): Command[] =>
  Object.entries(steps).flatMap(([step, { sweep }]) =>
    (sweep?.unsettled ?? []).map((chunk): Command => ({ do: 'activity', key: keyOf(step, 'settle', chunk), step, phase: 'settle', chunk })),
  );

function wanted(state: State, { plan, now }: World): Command[] {
  if (state.error)
    return plan.steps.flatMap((planned) => (isLeft(state, plan, planned.id) ? [] : next(state, planned, state.steps[planned.id]!, now)));
  if (state.sources === undefined) return state.paused ? [] : [{ do: 'inspect', key: '/inspect' }];
  if (allEnded(state)) return state.outputs ? [] : [{ do: 'evaluate', key: '/outputs', tree: plan.outputs, each: true }];
  return plan.steps.flatMap((planned) => next(state, planned, state.steps[planned.id]!, now));
}

function begin(state: State, planned: PlanStep, step: StepState, world: World): void {
  step.startedAt = world.now;
  step.status = 'running';
  const { when } = planned;
  if (when !== undefined)
    failingStep(state, planned, world, 'when', () => {
      const value = evaluateHere(when, scopeOf(state, world));
      if (value !== undefined) takeWhen(step, value, world);
    });
  goOn(state, planned, step, world);
}

/** True where a step's `when` is not known yet. */
const isAsked = ({ when }: PlanStep, step: StepState): boolean => when !== undefined && step.when === undefined;

/** Takes what `when` gave: false ends the step. Fails where it gave no boolean. */
export function takeWhen(step: StepState, value: Json, { now }: World): void {
  if (typeof value !== 'boolean') throw new ExpressionError('expression-result', `true or false is due, not ${JSON.stringify(value)}`);
  step.when = value;
  if (!value) skip(step, { because: 'when' }, now);
}

/** Evaluates the input of a begun step that is to be carried out. */
export function goOn(state: State, planned: PlanStep, step: StepState, world: World): void {
  if (step.status !== 'running' || step.error || isAsked(planned, step)) return;
  failingStep(state, planned, world, 'with', () => {
    const input = evaluateHere(planned.with, scopeOf(state, world));
    if (input !== undefined) takeInput(state, planned, step, input, world);
  });
}

/** Goes on with a begun step whose input is known: with what an earlier run completed, or with its own work. */
export function takeInput(state: State, planned: PlanStep, step: StepState, input: Json, world: World): void {
  step.input = input;
  if (planned.kind === 'gate') {
    step.status = 'approval';
    step.expiresAt = world.now + expiryOf(input, planned);
  }
  takeOver(state, planned, step, world);
}

/** What goes wrong with a field of a step fails that step. */
export function failingStep(state: State, planned: PlanStep, world: World, field: 'when' | 'with', work: () => void): void {
  try {
    work();
  } catch (error) {
    fail(state, world, {
      step: planned.id,
      type: typeOf(error),
      message: `${field}: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

/** The value of a tree; undefined where a worker has to evaluate it: what it reads, or what it gives, stands in the run store. */
function evaluateHere(tree: Json, scope: Scope): Json | undefined {
  if (stepsIn(tree).some((id) => isKept(scope.steps[id]))) return undefined;
  const value = evaluateTree(tree, scope);
  return isLarge(value) ? undefined : value;
}

/** The fields of a gate are kept one by one: what it shows may be large, how long it waits is read here. */
const evaluation = ({ id, kind, with: tree }: PlanStep): Command => ({
  do: 'evaluate',
  key: keyOf(id, 'input'),
  tree,
  ...(kind === 'gate' ? { each: true } : {}),
});

/** What one step has to be sent, under way or not. Paused: what is under way ends, reads of a poll go on, nothing new is sent. */
function next({ paused }: State, planned: PlanStep, step: StepState, now: number): Command[] {
  if (step.status === 'approval')
    return [{ do: 'timer', key: keyOf(planned.id, 'expire'), ms: Math.max(1, (step.expiresAt ?? now) - now) }];
  if (step.status !== 'running' || step.error) return [];
  if (isAsked(planned, step)) return paused ? [] : [{ do: 'evaluate', key: keyOf(planned.id, 'when'), tree: planned.when! }];
  if (step.input === undefined) return paused ? [] : [evaluation(planned)];
  const activity = (phase: ActivityPhase, chunk?: number): Command => ({
    do: 'activity',
    key: keyOf(planned.id, phase, chunk),
    step: planned.id,
    phase,
    ...(chunk === undefined ? {} : { chunk }),
  });
  if (planned.kind === 'poll' && step.token !== undefined) return [activity('check')];
  if (paused) return [];
  if (planned.kind !== 'sweep') return [activity('main')];
  const { sweep } = step;
  if (!sweep) return [activity('prepare')];
  if (sweep.acknowledged === sweep.chunks) return [activity('finish')];
  const room = (planned.window ?? 8) - (sweep.next - sweep.acknowledged);
  const count = Math.max(0, Math.min(room, sweep.chunks - sweep.next));
  return Array.from({ length: count }, (_, index) => activity('chunk', sweep.next + index));
}

/** Milliseconds that a gate waits for a decision. Fails where an expression gave no duration. */
function expiryOf(input: Json, { timeouts }: PlanStep): number {
  const { expires } = input as { expires?: string };
  return expires === undefined ? (timeouts.pollMs ?? 7 * 86_400_000) : milliseconds(expires);
}
