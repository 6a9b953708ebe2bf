import { expect, test } from 'vitest';
import { endStatuses, type PlanStep, type Reuse } from '../../pipelines/plan.ts';
import { hasEnded, reduce } from '../../workflows/interpreter/reduce.ts';
import { initialState, type Event } from '../../workflows/interpreter/state.ts';
import { viewOf } from '../../workflows/interpreter/view.ts';
import type { RunView } from '../../workflows/messages.ts';
import { barePlan, bareRun, planStep } from './bare-plan.ts';

const each = planStep('each', 'loop', { with: { items: ['a', 'b'] }, each: { as: 'item', outputs: {} } });
const other = planStep('other', 'call');

/** Plays events: the keys of what was sent after each of them, and what came of it. */
function play(steps: PlanStep[], events: readonly Event[], reuse?: Reuse): { sent: string[][]; ended: boolean; view: RunView } {
  const plan = barePlan(steps);
  const state = initialState(plan);
  const world = { plan, run: bareRun, now: 1, ...(reuse ? { reuse } : {}) };
  const sent = [{ is: 'start' as const }, ...events].map((event) => reduce(state, event, world, false).map(({ key }) => key));
  return { sent, ended: hasEnded(state), view: viewOf(state, world) };
}

const done = (key: string): Event => ({ is: 'ended', key, result: {} });
const failed = (key: string): Event => ({ is: 'failed', key, error: { type: 'BadInput', message: 'bad' } });
const makes = [done('each[0].make/main'), done('each[1].make/main')];

test('a loop whose turns were left for a failure elsewhere is cancelled, and a rerun goes on with it', () => {
  const steps = [other, each, planStep('make', 'call', { in: 'each' }), planStep('publish', 'call', { in: 'each', needs: ['make'] })];
  const first = play(steps, [failed('other/main'), ...makes]);
  expect(first.ended).toBe(true);
  expect(first.view.steps.map(({ id, status }) => [id, status])).toEqual([
    ['other', 'failed'],
    ['each', 'cancelled'],
  ]);
  const reuse = Object.fromEntries(
    first.view.steps.flatMap(({ id, status, inputHash, output }) =>
      status === 'done' ? [[id, { hash: inputHash!, output: output!, run: 'r0' }]] : [],
    ),
  );
  expect(play(steps, [done('other/main'), ...makes], reuse).sent.flat()).toContain('each[1].publish/main');
});

const all = [...endStatuses];
/** Steps of which the last one cleans up behind the one before it, whatever becomes of that. */
const cleaned = (where: Partial<PlanStep>): PlanStep[] => [
  planStep('make', 'call', where),
  planStep('work', 'call', { ...where, needs: ['make'] }),
  planStep('release', 'call', { ...where, needs: ['work'], accepts: { work: all } }),
];
const inTurns = cleaned({ in: 'each' });
const [work0, work1] = ['each[0].work/main', 'each[1].work/main'] as const;

test.each<[string, PlanStep[], Event[], string[]]>([
  ['of the run', [other, ...cleaned({})], [done('make/main'), failed('other/main'), done('work/main')], ['release/main']],
  [
    'of a turn beside the one that failed',
    [each, ...inTurns],
    [...makes, failed(work0), done('each[0].release/main'), done(work1)],
    ['each[1].release/main'],
  ],
  [
    'of turns beside a step that failed',
    [other, each, ...inTurns],
    [...makes, failed('other/main'), done(work0), failed(work1)],
    ['each[0].release/main', 'each[1].release/main'],
  ],
  [
    'of what is done about a failure beside a step that failed',
    [other, planStep('rows', 'call', { onError: { else: { does: 'steps' } } }), ...cleaned({ in: 'rows', on: 'else' })],
    [failed('rows/main'), done('rows[else].make/main'), failed('other/main'), done('rows[else].work/main')],
    ['rows[else].release/main'],
  ],
])('a step that cleans up begins although the run has failed: one %s', (_, steps, events, releases) => {
  const { sent } = play(steps, events);
  expect(sent.flat().filter((key) => key.includes('release'))).toEqual(expect.arrayContaining(releases));
  const over = play(steps, [...events, ...releases.map(done)]);
  expect(over.ended).toBe(true);
  expect(over.view.state).toBe('failed');
});

test('no step of a turn that cleans up begins when the run was cancelled', () => {
  const { sent, ended, view } = play([each, ...inTurns], [...makes, { is: 'cancel' }, done(work0), done(work1)]);
  expect(sent.flat().filter((key) => key.includes('release'))).toEqual([]);
  expect([ended, view.state]).toEqual([true, 'cancelled']);
});
