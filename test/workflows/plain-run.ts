import { createHash } from 'node:crypto';
import { inside, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import { hasEnded } from '../../workflows/interpreter/reduce.ts';
import { initialState, parseKey, type Command, type Event, type State, type World } from '../../workflows/interpreter/state.ts';
import { bareRun } from './bare-plan.ts';
import { evaluate, type Fate } from './plain-evaluator.ts';
import { errors, type Reducer } from './random-programs.ts';

/** What nobody knows ends a run, whatever the file tolerates. */
const known = errors.filter((each) => each !== 'Undecided');

/** Fails where it may: steps that are tolerated, and those of loops, whose failed turns are. */
export const drawnFate =
  (salt: number): Fate =>
  (path) => {
    const [fails, times, type] = createHash('sha1').update(`${salt}${path}`).digest();
    return { failures: fails! < 100 ? 1 + (times! % 3) : 0, type: known[type! % known.length]! };
  };

/** Tries stay, and what fails in the end is tolerated. */
const tolerant = (onError: PlanStep['onError'] = {}): NonNullable<PlanStep['onError']> => ({
  ...Object.fromEntries(
    Object.entries(onError).map(([of, each]) => [of, { ...each, does: each.does === 'steps' ? each.does : ('tolerate' as const) }]),
  ),
  else: onError.else?.does === 'steps' ? onError.else : { does: 'tolerate' },
});

/** The same program with inputs that can be evaluated, no gates, and every failure tolerated. */
export const tame = (steps: readonly PlanStep[]): PlanStep[] =>
  steps.map((step): PlanStep => ({
    ...step,
    kind: step.kind === 'gate' ? 'call' : step.kind,
    with:
      step.kind === 'loop'
        ? { items: Array.isArray((step.with as { items: unknown }).items) ? (step.with as { items: string[] }).items : [] }
        : {},
    ...(step.when === '${{ params.n }}' ? { when: true } : {}),
    ...(step.in === undefined || step.on !== undefined ? { onError: tolerant(step.onError) } : {}),
    ...(step.each
      ? {
          tolerate: { failed: { share: 1 } },
          each: { ...step.each, outputs: { item: '${{ item }}' } },
        }
      : {}),
  }));

/** Ends commands as it is decided; what fails does so in its main phase, or in the second chunk of a sweep. */
function adapter(fate: Fate): (command: Command) => Event {
  const failures = new Map<string, number>();
  return ({ key }): Event => {
    const { step, phase, chunk } = parseKey(key);
    if (phase === 'prepare') return { is: 'ended', key, result: { chunks: 2, items: 2, state: null } };
    if (phase === 'settle') return { is: 'ended', key, result: {} };
    if (phase === 'main' || (phase === 'chunk' && chunk === 1)) {
      const failed = failures.get(step) ?? 0;
      failures.set(step, failed + 1);
      if (failed < fate(step).failures) return { is: 'failed', key, error: { type: fate(step).type, message: 'as drawn' } };
    }
    if (phase === 'chunk') return { is: 'ended', key, result: { done: 1 } };
    return { is: 'ended', key, result: phase === 'main' ? { done: true, output: {} } : {} };
  };
}

/** Every event of a run, and whether it was given while the run drained. */
type Given = { event: Event; draining: boolean }[];

/** A program of these tests that takes more events never ends. */
const mostTurns = 20_000;

/** Runs a program on the reducer, in an order of events that chance gives, and through continue-as-new. */
export function runPlainly(plan: Plan, fate: Fate, chance: () => number, reduce: Reducer): { state: State; events: Given } {
  const world: World = { plan, run: bareRun, now: 0 };
  const endOf = adapter(fate);
  const events: Given = [];
  let state = initialState(plan);
  const feed = (event: Event, draining = false): Command[] => {
    events.push({ event, draining });
    return reduce(state, event, world, draining);
  };
  const open = feed({ is: 'start' });
  for (let turn = 0; !hasEnded(state) && turn < mostTurns; turn++) {
    const drawn = chance();
    if (drawn < 20) {
      for (; open.length > 0 && turn < mostTurns; turn++) open.push(...feed(endOf(open.shift()!), true));
      state = JSON.parse(JSON.stringify(state)) as State;
      open.push(...feed({ is: 'start' }));
      continue;
    }
    const [command] = open.splice(drawn % Math.max(1, open.length), 1);
    if (!command) break;
    open.push(...feed(endOf(command)));
  }
  return { state, events };
}

/** The same events once more: what comes of them. */
export function replay(plan: Plan, events: Given, reduce: Reducer): State {
  const world: World = { plan, run: bareRun, now: 0 };
  const state = initialState(plan);
  for (const { event, draining } of events) reduce(state, event, world, draining);
  return state;
}

/** What of a run is otherwise than the plain evaluator has it. */
export function differences(plan: Plan, fate: Fate, state: State): unknown[] {
  if (!hasEnded(state) || state.error) return [['the run', state.error ?? 'has not ended']];
  const expected = evaluate(plan.steps, fate);
  return inside(plan, undefined).flatMap(({ id, kind }): unknown[] => {
    const { status, loop, counts } = state.steps[id]!;
    const wanted = expected[id]!;
    const isRight =
      kind === 'loop' && typeof wanted === 'object'
        ? status === 'done' && loop?.done === wanted.done && loop.failed === wanted.failed
        : status === wanted && (kind !== 'sweep' || status !== 'done' || counts?.['done'] === 2);
    return isRight ? [] : [[id, { status, loop, counts }, wanted]];
  });
}
