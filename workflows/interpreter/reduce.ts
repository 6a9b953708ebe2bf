import { evaluateTree, type Scope } from '../../pipelines/expressions/evaluate.ts';
import type { Json, Plan, PlanStep, RunRef } from '../../pipelines/plan.ts';
import type { RunError } from '../messages.ts';
import { durationMs } from './duration.ts';
import { keyOf, parseKey, type Command, type Event, type State, type StepState } from './state.ts';

export type World = { plan: Plan; run: RunRef; now: number };

/**
 * The interpreter: one event in, commands out. It changes the state that it is given and touches nothing else, so
 * that a run is the same however often it is replayed. Knows kinds, never step types.
 */
export function reduce(state: State, event: Event, world: World, draining: boolean): Command[] {
  try {
    apply(state, event, world);
    return draining ? [] : proceed(state, world);
  } catch (error) {
    // Nothing may escape into the workflow task: it would be retried for ever.
    fail(state, world, { type: typeOf(error), message: String(error instanceof Error ? error.message : error) });
    return [];
  }
}

/** Has everything ended that will? */
export const isOver = (state: State): boolean =>
  state.inflight.length === 0 &&
  (state.error !== undefined || state.cancelled || Object.values(state.steps).every((step) => step.status === 'done'));

function apply(state: State, event: Event, world: World): void {
  if ('key' in event) state.inflight = state.inflight.filter((key) => key !== event.key);
  switch (event.is) {
    case 'start':
    case 'withdrawn':
      return;
    case 'pause':
      state.paused ??= { ...event.request, at: iso(world.now) };
      return;
    case 'resume':
      delete state.paused;
      return;
    case 'cancel':
      state.cancelled = true;
      for (const step of Object.values(state.steps)) if (open(step)) end(step, 'cancelled', world.now);
      return;
    case 'decide':
      return decide(state, event.decision, world);
    case 'failed':
      return failed(state, event.key, event.error, world);
    case 'ended':
      return ended(state, event.key, event.result, world);
  }
}

function decide(state: State, decision: { step: string; approve: boolean; who: string; note: string }, world: World): void {
  const step = state.steps[decision.step];
  if (step?.status !== 'approval') return;
  step.decision = { ...decision, at: iso(world.now) };
  if (decision.approve) {
    step.output = { approved: true, who: decision.who, note: decision.note, at: iso(world.now) };
    end(step, 'done', world.now);
  } else {
    fail(state, world, { step: decision.step, type: 'Rejected', message: `${decision.who} rejected: ${decision.note || 'no note'}` });
  }
}

function failed(state: State, key: string, error: RunError, world: World): void {
  const { step, phase } = parseKey(key);
  if (state.cancelled) return;
  fail(state, world, phase === 'inspect' ? error : { ...error, step });
}

/** The first error is the run's; steps under way are failed with it, those not begun are skipped. */
function fail(state: State, world: World, error: RunError): void {
  state.error ??= error;
  const culprit = error.step === undefined ? undefined : state.steps[error.step];
  if (culprit && open(culprit)) end(culprit, 'failed', world.now);
  for (const step of Object.values(state.steps))
    if (step.status === 'waiting' || step.status === 'approval') end(step, 'skipped', world.now);
}

function ended(state: State, key: string, result: Json, world: World): void {
  const { step: id, phase } = parseKey(key);
  if (phase === 'inspect') {
    state.sources = result as NonNullable<State['sources']>;
    return;
  }
  const step = state.steps[id]!;
  const finished = (output: Json): void => {
    step.output = output;
    if (step.status === 'running') end(step, 'done', world.now);
  };
  const planned = world.plan.steps.find((each) => each.id === id)!;
  switch (phase) {
    case 'prepare': {
      const {
        chunks,
        items,
        state: prepared,
        counts,
      } = result as { chunks: number; items: number; state: Json; counts?: { [name: string]: number } };
      step.sweep = { chunks, next: 0, acknowledged: 0, items, state: prepared ?? null };
      step.counts = counts ?? {};
      return;
    }
    case 'chunk':
      step.sweep!.acknowledged++;
      for (const [name, value] of Object.entries(result as { [name: string]: number }))
        step.counts![name] = (step.counts![name] ?? 0) + value;
      return;
    case 'finish':
      return finished(result);
    case 'main':
      if (planned.kind === 'call') return finished(result);
      return polled(step, result, finished);
    case 'check':
      return polled(step, result, finished);
    case 'expire':
      if (step.status === 'approval') fail(state, world, { step: id, type: 'Expired', message: 'nobody decided in time' });
  }
}

function polled(step: StepState, result: Json, finished: (output: Json) => void): void {
  const answer = result as { done: true; output: Json } | { done: false; token: Json };
  if (answer.done) finished(answer.output);
  else step.token = answer.token;
}

/** Everything that can be sent now. */
function proceed(state: State, world: World): Command[] {
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

/** An expression's error says its kind (`expression-result` …) as `type`. */
function typeOf(error: unknown): string {
  if (error instanceof Error && 'type' in error && typeof error.type === 'string') return error.type;
  return error instanceof Error ? error.name : 'Error';
}

const open = (step: StepState): boolean => step.status === 'waiting' || step.status === 'running' || step.status === 'approval';
const iso = (ms: number): string => new Date(ms).toISOString();

function end(step: StepState, status: StepState['status'], now: number): void {
  step.status = status;
  step.endedAt = now;
}
