import { evaluateTree, type Scope } from '../../pipelines/expressions/evaluate.ts';
import type { Json, PlanStep } from '../../pipelines/plan.ts';
import { durationMs } from './duration.ts';
import { fail, typeOf } from './ends.ts';
import { takeOver } from './take-over.ts';
import type { World } from './reduce.ts';
import { keyOf, type Command, type State, type StepState } from './state.ts';

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

/** Works out the outputs once every step is done. */
export function conclude(state: State, world: World): void {
  if (state.error || state.cancelled || !Object.values(state.steps).every((step) => step.status === 'done')) return;
  state.outputs ??= evaluateTree(world.plan.outputs, scopeOf(state, world)) as { [name: string]: Json };
}

/** Everything that can be sent now and is not under way. Reads the state only: the caller records what it sends. */
export function commandsOf(state: State, world: World): Command[] {
  if (state.error || state.cancelled) return [];
  const busy = new Set(state.inflight);
  const wanted: Command[] =
    state.sources === undefined
      ? state.paused
        ? []
        : [{ do: 'inspect', key: '/inspect' }]
      : world.plan.steps.flatMap((planned) => next(state, planned, state.steps[planned.id]!, world.now));
  return wanted.filter(({ key }) => !busy.has(key));
}

function begin(state: State, planned: PlanStep, step: StepState, world: World): void {
  step.startedAt = world.now;
  step.status = planned.kind === 'gate' ? 'approval' : 'running';
  try {
    step.input = evaluateTree(planned.with, scopeOf(state, world));
    if (planned.kind === 'gate') step.expiresAt = world.now + expiryOf(step.input, planned);
    takeOver(state, planned, step, world);
  } catch (error) {
    fail(state, world, {
      step: planned.id,
      type: typeOf(error),
      message: `with: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

/** What one step has to be sent, under way or not. Paused: what is under way ends, reads of a poll go on, nothing new is sent. */
function next({ paused }: State, planned: PlanStep, step: StepState, now: number): Command[] {
  if (step.status === 'approval')
    return [{ do: 'timer', key: keyOf(planned.id, 'expire'), ms: Math.max(1, (step.expiresAt ?? now) - now) }];
  if (step.status !== 'running') return [];
  const activity = (phase: 'main' | 'prepare' | 'chunk' | 'finish' | 'check', chunk?: number): Command => ({
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
  return expires === undefined ? (timeouts.pollMs ?? 7 * 86_400_000) : durationMs(expires);
}

/** What expressions see. */
function scopeOf(state: State, world: World): Scope {
  const outputs = Object.entries(state.steps).flatMap(([id, step]) => (step.output === undefined ? [] : [[id, step.output] as const]));
  return { params: world.plan.params, steps: Object.fromEntries(outputs), run: { id: world.run.id, pipeline: world.run.pipeline } };
}
