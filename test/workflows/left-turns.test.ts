import { expect, test } from 'vitest';
import { celVersion } from '../../pipelines/expressions/environment.ts';
import { type Plan, type PlanStep, type Reuse } from '../../pipelines/plan.ts';
import { hasEnded, reduce } from '../../workflows/interpreter/reduce.ts';
import { initialState, type Event } from '../../workflows/interpreter/state.ts';
import { viewOf } from '../../workflows/interpreter/view.ts';
import type { RunView } from '../../workflows/messages.ts';
import { planStep } from './plan-step.ts';

const run = { id: 'r1', pipeline: 'p', store: 'file:///nowhere', baseDir: '/', host: 'here' };
const each = planStep('each', 'loop', { with: { items: ['a', 'b'] }, each: { as: 'item', outputs: {} } });
const other = planStep('other', 'call');

/** Plays events: the keys of what was sent after each of them, and what came of it. */
function play(steps: PlanStep[], events: readonly Event[], reuse?: Reuse): { sent: string[][]; ended: boolean; view: RunView } {
  const plan: Plan = {
    ...{ version: 1, pipeline: 'p', hash: 'h', cel: celVersion, params: {}, outputs: {}, sources: [], concurrency: null },
    steps,
  };
  const state = initialState(plan);
  const world = { plan, run, now: 1, ...(reuse ? { reuse } : {}) };
  const sent = [{ is: 'start' as const }, ...events].map((event) => reduce(state, event, world, false).map(({ key }) => key));
  return { sent, ended: hasEnded(state), view: viewOf(state, world) };
}

const done = (key: string): Event => ({ is: 'ended', key, result: {} });
const failed = (key: string): Event => ({ is: 'failed', key, error: { type: 'BadInput', message: 'bad' } });

test('a loop whose turns were left for a failure elsewhere is cancelled, and a rerun goes on with it', () => {
  const steps = [other, each, planStep('make', 'call', { in: 'each' }), planStep('publish', 'call', { in: 'each', needs: ['make'] })];
  const first = play(steps, [failed('other/main'), done('each[0].make/main'), done('each[1].make/main')]);
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
  const makes = [done('each[0].make/main'), done('each[1].make/main')];
  expect(play(steps, [done('other/main'), ...makes], reuse).sent.flat()).toContain('each[1].publish/main');
});
