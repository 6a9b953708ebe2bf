import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inside, type PlanStep } from '../../pipelines/plan.ts';
import { hasEnded, reduce } from '../../workflows/interpreter/reduce.ts';
import { initialState, parseKey, type Command, type Event, type State, type World } from '../../workflows/interpreter/state.ts';
import { evaluate, type Fate } from './plain-evaluator.ts';
import { errors, planOf, programs } from './random-programs.ts';

const run = { id: 'r1', pipeline: 'p', store: 'file:///nowhere', baseDir: '/', host: 'here' };

/** Fails where it may: steps that are tolerated, and those of loops, whose failed turns are. */
const drawnFate =
  (salt: number): Fate =>
  (path) => {
    const [fails, times, type] = createHash('sha1').update(`${salt}${path}`).digest();
    // What nobody knows ends a run; a turn of a loop may fail by it.
    const of = /\[\d/.test(path) && !path.includes('[else]') ? errors : errors.filter((each) => each !== 'Undecided');
    return { failures: fails! < 100 ? 1 + (times! % 3) : 0, type: of[type! % of.length]! };
  };

/** Tries stay, and what fails in the end is tolerated. */
const tolerant = (onError: PlanStep['onError'] = {}): NonNullable<PlanStep['onError']> => ({
  ...Object.fromEntries(
    Object.entries(onError).map(([of, each]) => [of, { ...each, does: each.does === 'steps' ? each.does : ('tolerate' as const) }]),
  ),
  else: onError.else?.does === 'steps' ? onError.else : { does: 'tolerate' },
});

/** The same program with inputs that can be evaluated, no gates, and every failure tolerated. */
const tame = (steps: PlanStep[]): PlanStep[] =>
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

test('whatever the order of events, and through continue-as-new, a program comes to what a plain evaluator makes of it', () => {
  fc.assert(
    fc.property(programs, fc.nat(), fc.infiniteStream(fc.nat({ max: 1_000 })), ([drawn], salt, chances) => {
      const plan = { ...planOf(drawn), steps: tame(planOf(drawn).steps) };
      const fate = drawnFate(salt);
      const endOf = adapter(fate);
      const world: World = { plan, run, now: 0 };
      let state = initialState(plan);
      const open: Command[] = reduce(state, { is: 'start' }, world, false);
      for (let turn = 0; !hasEnded(state) && turn < 20_000; turn++) {
        const chance = chances.next().value!;
        if (chance < 20) {
          for (const command of open.splice(0)) reduce(state, endOf(command), world, true).forEach((each) => open.push(each));
          while (open.length > 0) open.push(...reduce(state, endOf(open.shift()!), world, true));
          state = JSON.parse(JSON.stringify(state)) as State;
          open.push(...reduce(state, { is: 'start' }, world, false));
          continue;
        }
        const [command] = open.splice(chance % Math.max(1, open.length), 1);
        if (!command) break;
        open.push(...reduce(state, endOf(command), world, false));
      }
      expect(hasEnded(state)).toBe(true);
      expect(state.error).toBeUndefined();
      const expected = evaluate(plan.steps, fate);
      for (const { id, kind } of inside(plan, undefined)) {
        const { status, loop, counts } = state.steps[id]!;
        const wanted = expected[id]!;
        if (kind === 'loop' && typeof wanted === 'object') expect([id, status, loop]).toMatchObject([id, 'done', wanted]);
        else expect([id, status]).toEqual([id, wanted]);
        if (kind === 'sweep' && status === 'done') expect([id, counts]).toEqual([id, { done: 2 }]);
      }
    }),
    { numRuns: 1_000 },
  );
});

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
