import { acceptedOf, hasEnd } from '../../pipelines/ends.ts';
import { ExpressionError } from '../../pipelines/expressions/error.ts';
import type { EndStatus, PlanStep } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { milliseconds } from '../../text/duration.ts';
import { blocksOf, isLeft, isLeftAt, isUnderWay, type Block } from './block.ts';
import { childOf, isOpen } from './children.ts';
import { fail, skip, typeOf } from './ends.ts';
import { evaluateHere, failingStep } from './evaluate-here.ts';
import { pageWanted, takeItems } from './loop-items.ts';
import { rowsWanted } from './loop-rows.ts';
import { retryWanted } from './retries.ts';
import { withRoom } from './room.ts';
import { newLoop, outputsWanted, turn } from './loops.ts';
import { takeOver } from './take-over.ts';
import type { World } from './state.ts';
import { undoWanted } from './undo.ts';
import { scopeOf } from './scope.ts';
import { keyOf, type ActivityPhase, type Command, type State, type StepState } from './state.ts';

/** Begins every step whose needs have ended as it accepts, and skips those that never will. True where there were some. */
export function advance(state: State, world: World): boolean {
  if (state.paused || state.queued || state.sources === undefined) return false;
  let some = false;
  for (const block of blocksOf(state, world.plan))
    for (const planned of block.steps) {
      const step = state.steps[block.path + planned.id]!;
      if (step.status !== 'waiting') continue;
      const ends = planned.needs.map((need) => ({ need, status: state.steps[block.path + need]?.status }));
      if (!ends.every(({ status }) => hasEnd(status))) continue;
      // A cancellation ends steps before what they have sent has ended: what cleans up behind them would meet it.
      if (state.cancelled && planned.finally && isUnderWay(state, world.plan)) continue;
      some = true;
      const refused = ends.find(({ need, status }) => !acceptedOf(planned, need).includes(status as EndStatus));
      if (refused) skip(step, { because: 'needs', step: refused.need, status: refused.status as EndStatus }, world.now);
      else begin(state, block, planned, step, world);
    }
  return turn(state, world) || some;
}

export const allEnded = (state: State): boolean => Object.values(state.steps).every(({ status }) => hasEnd(status));

/** Works out the outputs once every step has ended, unless a worker has to. Where they cannot be, the run fails, as by a step. */
export function conclude(state: State, world: World): void {
  if (state.error || state.cancelled || state.outputs || !allEnded(state)) return;
  try {
    const outputs = evaluateHere(world.plan.outputs, scopeOf(state, world));
    if (outputs !== undefined) state.outputs = outputs as { [name: string]: Json };
  } catch (error) {
    fail(state, world, { type: typeOf(error), message: error instanceof Error ? error.message : String(error) });
  }
}

/** What can be sent now and is not under way, as far as there is room for it. Reads the state only: the caller records what it sends. */
export function commandsOf(state: State, world: World, draining: boolean): Command[] {
  const busy = new Set(state.inflight);
  const all = [
    ...settling(state, world),
    ...undoWanted(state, true),
    ...(draining ? [] : [...wanted(state, world), ...undoWanted(state, false)]),
  ];
  return withRoom(
    all.filter(({ key }) => !busy.has(key)),
    state,
    world,
  );
}

/** Of a step that is over: what became of the chunks that nobody reported, and of a run that has not ended. */
const settling = (state: State, { plan }: World): Command[] =>
  Object.entries(state.steps).flatMap(([step, { sweep, child, status }]) => [
    ...(sweep?.unsettled ?? []).map((chunk): Command => ({
      do: 'activity',
      key: keyOf(step, 'settle', chunk),
      step,
      phase: 'settle',
      chunk,
    })),
    ...(isOpen(child) && (status !== 'running' || isLeftAt(state, plan, step)) ? [childOf(step, child)] : []),
  ]);

function wanted(state: State, { plan, now }: World): Command[] {
  const over = state.cancelled || state.error !== undefined;
  if (state.sources === undefined && !over) return state.paused || state.queued ? [] : [{ do: 'inspect', key: '/inspect' }];
  if (!over && allEnded(state)) return state.outputs ? [] : [{ do: 'evaluate', key: '/outputs', tree: plan.outputs, each: true }];
  const turns = state.paused ? [] : outputsWanted(state, { plan });
  return [
    ...turns,
    ...blocksOf(state, plan).flatMap((block) =>
      block.steps.flatMap((planned) => {
        const path = block.path + planned.id;
        return isLeft(state, block, planned.id) ? [] : next(state, path, planned, state.steps[path]!, now);
      }),
    ),
  ];
}

function begin(state: State, block: Block, planned: PlanStep, step: StepState, world: World): void {
  step.startedAt = world.now;
  step.status = 'running';
  const { when } = planned;
  if (when !== undefined)
    failingStep(state, block, planned, world, 'when', () => {
      const value = evaluateHere(when, scopeOf(state, world, block));
      if (value !== undefined) takeWhen(step, value, world);
    });
  goOn(state, block, planned, step, world);
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
export function goOn(state: State, block: Block, planned: PlanStep, step: StepState, world: World): void {
  if (step.status !== 'running' || step.error || isAsked(planned, step)) return;
  failingStep(state, block, planned, world, 'with', () => {
    const input = evaluateHere(planned.with, scopeOf(state, world, block));
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
  // Turns are not taken over one by one: they are steps of their loop.
  if (planned.in === undefined) takeOver(state, planned, step, world);
  if (planned.kind !== 'loop' || step.status !== 'running') return;
  step.loop = newLoop();
  takeItems(step, input);
}

/** The fields of a gate are kept one by one: what it shows may be large, how long it waits is read here. */
const evaluation = (path: string, { kind, with: tree }: PlanStep): Command => ({
  do: 'evaluate',
  key: keyOf(path, 'input'),
  tree,
  ...(kind === 'gate' ? { each: true } : {}),
});

/** What one step has to be sent, under way or not. Paused: what is under way ends, reads of a poll go on, nothing new is sent. */
function next({ paused }: State, path: string, planned: PlanStep, step: StepState, now: number): Command[] {
  if (step.status === 'approval') return [{ do: 'timer', key: keyOf(path, 'expire'), ms: Math.max(1, (step.expiresAt ?? now) - now) }];
  if (step.status !== 'running' || step.error) return [];
  if (step.retries?.at !== undefined) return retryWanted(path, step.retries.at, now);
  if (isAsked(planned, step)) return paused ? [] : [{ do: 'evaluate', key: keyOf(path, 'when'), tree: planned.when! }];
  if (step.input === undefined) return paused ? [] : [evaluation(path, planned)];
  const activity = (phase: ActivityPhase, chunk?: number): Command => ({
    do: 'activity',
    key: keyOf(path, phase, chunk),
    step: path,
    phase,
    ...(chunk === undefined ? {} : { chunk }),
  });
  if (planned.kind === 'poll' && step.token !== undefined) return [activity('check')];
  if (planned.kind === 'pipeline') return paused && !step.child ? [] : [childOf(path, step.child)];
  if (paused) return [];
  if (planned.kind === 'loop') return [...pageWanted(path, step), ...rowsWanted(path, planned, step)];
  if (planned.kind !== 'sweep') return [activity('main')];
  const { sweep } = step;
  if (!sweep) return [activity('prepare')];
  if (sweep.acknowledged === sweep.chunks) return [activity('finish')];
  const room = (planned.window ?? 8) - (sweep.next - sweep.acknowledged);
  const count = Math.max(0, Math.min(room, sweep.chunks - sweep.next));
  const further = Array.from({ length: count }, (_, index) => sweep.next + index);
  return [...(sweep.redo ?? []), ...further].map((chunk) => activity('chunk', chunk));
}

/** Milliseconds that a gate waits for a decision. Fails where an expression gave no duration. */
function expiryOf(input: Json, { timeouts }: PlanStep): number {
  const { expires } = input as { expires?: string };
  return expires === undefined ? (timeouts.pollMs ?? 7 * 86_400_000) : milliseconds(expires);
}
