import { evaluateTree, type Scope } from '../../pipelines/expressions/evaluate.ts';
import type { Json, PlanStep } from '../../pipelines/plan.ts';
import { durationMs } from './duration.ts';
import { fail, typeOf } from './ends.ts';
import { takeOver } from './take-over.ts';
import type { World } from './reduce.ts';
import { keyOf, type Command, type State, type StepState } from './state.ts';

/** Everything that can be sent now. */
export function proceed(state: State, world: World): Command[] {
  const commands: Command[] = [];
  const send = (command: Command): void => {
    state.inflight.push(command.key);
    commands.push(command);
  };
  if (state.error || state.cancelled) return commands;
  const busy = new Set(state.inflight);
  if (state.sources === undefined) {
    if (!busy.has('/inspect') && !state.paused) send({ do: 'inspect', key: '/inspect' });
    return commands;
  }
  for (const planned of world.plan.steps) {
    if (state.error) break;
    const step = state.steps[planned.id]!;
    const ready = step.status === 'waiting' && planned.needs.every((need) => state.steps[need]?.status === 'done');
    if (ready && !state.paused) begin(state, planned, step, world);
    if (step.status === 'approval') waitForDecision(planned, step, world, busy, send);
    if (step.status === 'running') next(state, planned, step, busy, send);
  }
  if (!state.error && Object.values(state.steps).every((step) => step.status === 'done')) {
    state.outputs ??= evaluateTree(world.plan.outputs, scopeOf(state, world)) as { [name: string]: Json };
  }
  return commands;
}

function begin(state: State, planned: PlanStep, step: StepState, world: World): void {
  step.startedAt = world.now;
  step.status = planned.kind === 'gate' ? 'approval' : 'running';
  try {
    step.input = evaluateTree(planned.with, scopeOf(state, world));
    takeOver(state, planned, step, world);
  } catch (error) {
    fail(state, world, {
      step: planned.id,
      type: typeOf(error),
      message: `with: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

function next(state: State, planned: PlanStep, step: StepState, busy: Set<string>, send: (command: Command) => void): void {
  const activity = (phase: 'main' | 'prepare' | 'chunk' | 'finish' | 'check', chunk?: number): void => {
    const key = keyOf(planned.id, phase, chunk);
    if (!busy.has(key)) send({ do: 'activity', key, step: planned.id, phase, ...(chunk === undefined ? {} : { chunk }) });
  };
  // Paused: what is under way ends, reads of a poll go on, nothing new is sent.
  if (planned.kind === 'poll') return step.token === undefined ? (state.paused ? undefined : activity('main')) : activity('check');
  if (state.paused) return;
  if (planned.kind === 'call') return activity('main');
  const { sweep } = step;
  if (!sweep) return activity('prepare');
  const window = planned.window ?? 8;
  const underWay = (): number => sweep.next - sweep.acknowledged;
  while (sweep.next < sweep.chunks && underWay() < window) activity('chunk', sweep.next++);
  if (sweep.acknowledged === sweep.chunks) activity('finish');
}

function waitForDecision(planned: PlanStep, step: StepState, world: World, busy: Set<string>, send: (command: Command) => void): void {
  const expires = (step.input as { expires?: string } | undefined)?.expires;
  step.expiresAt ??= world.now + (expires === undefined ? (planned.timeouts.pollMs ?? 7 * 86_400_000) : durationMs(expires));
  const key = keyOf(planned.id, 'expire');
  if (!busy.has(key)) send({ do: 'timer', key, ms: Math.max(1, step.expiresAt - world.now) });
}

/** What expressions see. */
function scopeOf(state: State, world: World): Scope {
  const outputs = Object.entries(state.steps).flatMap(([id, step]) => (step.output === undefined ? [] : [[id, step.output] as const]));
  return { params: world.plan.params, steps: Object.fromEntries(outputs), run: { id: world.run.id, pipeline: world.run.pipeline } };
}
