import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inside, type PlanStep } from '../../pipelines/plan.ts';
import { hasEnded, reduce } from '../../workflows/interpreter/reduce.ts';
import { initialState, parseKey, type Command, type State, type World } from '../../workflows/interpreter/state.ts';
import { evaluate, type Fate } from './plain-evaluator.ts';
import { planOf, programs } from './random-programs.ts';

const run = { id: 'r1', pipeline: 'p', store: 'file:///nowhere', baseDir: '/', host: 'here' };

/** Fails where it may: steps that are tolerated, and those of loops, whose failed turns are. */
const drawnFate =
  (salt: number): Fate =>
  (path) =>
    createHash('sha1').update(`${salt}${path}`).digest()[0]! < 80 ? 'failed' : 'done';

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
    ...(step.in === undefined ? { onError: 'tolerate' as const } : {}),
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
      const world: World = { plan, run, now: 0 };
      let state = initialState(plan);
      const open: Command[] = reduce(state, { is: 'start' }, world, false);
      for (let turn = 0; !hasEnded(state) && turn < 20_000; turn++) {
        const chance = chances.next().value!;
        if (chance < 20) {
          for (const command of open.splice(0)) reduce(state, endOf(command, fate), world, true).forEach((each) => open.push(each));
          while (open.length > 0) open.push(...reduce(state, endOf(open.shift()!, fate), world, true));
          state = JSON.parse(JSON.stringify(state)) as State;
          open.push(...reduce(state, { is: 'start' }, world, false));
          continue;
        }
        const [command] = open.splice(chance % Math.max(1, open.length), 1);
        if (!command) break;
        open.push(...reduce(state, endOf(command, fate), world, false));
      }
      expect(hasEnded(state)).toBe(true);
      expect(state.error).toBeUndefined();
      const expected = evaluate(plan.steps, fate);
      for (const { id, kind } of inside(plan, undefined)) {
        const { status, loop } = state.steps[id]!;
        const wanted = expected[id]!;
        if (kind === 'loop' && typeof wanted === 'object') expect([id, status, loop]).toMatchObject([id, 'done', wanted]);
        else expect([id, status]).toEqual([id, wanted]);
      }
    }),
    { numRuns: 1_000 },
  );
});

function endOf(command: Command, fate: Fate): Parameters<typeof reduce>[1] {
  const { key } = command;
  const { step, phase } = parseKey(key);
  if (phase === 'prepare') return { is: 'ended', key, result: { chunks: 2, items: 2, state: null } };
  if (phase === 'chunk') return { is: 'ended', key, result: { done: 1 } };
  if (phase === 'settle') return { is: 'ended', key, result: {} };
  if (phase === 'main' || phase === 'finish') {
    if (fate(step) === 'failed') return { is: 'failed', key, error: { type: 'Error', message: 'as drawn' } };
    return { is: 'ended', key, result: phase === 'finish' ? {} : { done: true, output: {} } };
  }
  return { is: 'ended', key, result: {} };
}
