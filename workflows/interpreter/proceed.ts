import { evaluateTree, type Scope } from '../../pipelines/expressions/evaluate.ts';
import { stepsIn } from '../../pipelines/expressions/references.ts';
import { isKept, isLarge } from '../../pipelines/kept.ts';
import type { PlanStep } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { milliseconds } from '../../text/duration.ts';
import { fail, typeOf } from './ends.ts';
import { takeOver } from './take-over.ts';
import type { World } from './state.ts';
import { scopeOf } from './scope.ts';
import { keyOf, type ActivityPhase, type Command, type State, type StepState } from './state.ts';

/** Begins every step whose needs are done. */
export function advance(state: State, world: World): void {
  if (state.error || state.cancelled || state.sources === undefined) return;
  for (const planned of world.plan.steps) {
    const step = state.steps[planned.id]!;
    const ready = step.status === 'waiting' && planned.needs.every((need) => state.steps[need]?.status === 'done');
    if (ready && !state.paused) begin(state, planned, step, world);
    if (state.error) return;
  }
}

const isDone = (state: State): boolean => Object.values(state.steps).every((step) => step.status === 'done');

/** Works out the outputs once every step is done, unless a worker has to. */
export function conclude(state: State, world: World): void {
  if (state.error || state.cancelled || state.outputs || !isDone(state)) return;
  const outputs = evaluateHere(world.plan.outputs, scopeOf(state, world));
  if (outputs !== undefined) state.outputs = outputs as { [name: string]: Json };
}

/** Everything that can be sent now and is not under way. Reads the state only: the caller records what it sends. */
export function commandsOf(state: State, world: World): Command[] {
  const busy = new Set(state.inflight);
  const all = state.error || state.cancelled ? settling(state) : wanted(state, world);
  return all.filter(({ key }) => !busy.has(key));
}

/** Of a run that is over: what became of the chunks that nobody reported. */
const settling = ({ steps }: State): Command[] =>
  Object.entries(steps).flatMap(([step, { sweep }]) =>
    (sweep?.unsettled ?? []).map((chunk): Command => ({ do: 'activity', key: keyOf(step, 'settle', chunk), step, phase: 'settle', chunk })),
  );

function wanted(state: State, { plan, now }: World): Command[] {
  if (state.sources === undefined) return state.paused ? [] : [{ do: 'inspect', key: '/inspect' }];
  if (isDone(state)) return state.outputs ? [] : [{ do: 'evaluate', key: '/outputs', tree: plan.outputs, each: true }];
  return plan.steps.flatMap((planned) => next(state, planned, state.steps[planned.id]!, now));
}

function begin(state: State, planned: PlanStep, step: StepState, world: World): void {
  step.startedAt = world.now;
  step.status = 'running';
  failingStep(state, planned, world, () => {
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

/** What goes wrong with a step's input fails that step. */
export function failingStep(state: State, planned: PlanStep, world: World, work: () => void): void {
  try {
    work();
  } catch (error) {
    fail(state, world, {
      step: planned.id,
      type: typeOf(error),
      message: `with: ${error instanceof Error ? error.message : String(error)}`,
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
  if (step.status !== 'running') return [];
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
