import { expect, test } from 'vitest';
import type { PlanStep, SubPlan } from '../../pipelines/plan.ts';
import { childRunId } from '../../pipelines/run-start.ts';
import type { ChildReport } from '../../workflows/messages.ts';
import { hasEnded, reduce } from '../../workflows/interpreter/reduce.ts';
import { initialState, type Event, type State, type World } from '../../workflows/interpreter/state.ts';
import { barePlan, bareRun, planStep } from './bare-plan.ts';

/** Without a time that ends it. */
const step = (id: string, kind: PlanStep['kind'], more: Partial<PlanStep> = {}): PlanStep =>
  planStep(id, kind, { timeouts: { attemptMs: 0, deadlineMs: 0 }, ...(kind === 'pipeline' && { version: 'other' }), ...more });

function begin(steps: PlanStep[]) {
  const plan = barePlan(steps, { pipelines: { other: { plan: { steps: [] as PlanStep[] } } as SubPlan } });
  const state: State = initialState(plan);
  const world: World = { plan, run: bareRun, now: 1_000 };
  const feed = (event: Event, draining = false) => reduce(state, event, world, draining);
  return { state, feed, world };
}

const report = (run: string, state: ChildReport['state'], more: Partial<ChildReport> = {}): Event => ({
  is: 'report',
  report: { step: 'one', run, state, asks: [], ...more },
});
const begun = { do: 'child', key: 'one/child', step: 'one', attach: false };
const waited = { ...begun, attach: true };

test('the wait for a run is given up for continue-as-new and taken up again; it is begun once', () => {
  const { state, feed } = begin([step('one', 'pipeline')]);
  expect(feed({ is: 'start' })).toEqual([begun]);
  expect(feed({ is: 'withdrawn', key: 'one/child' }, true)).toEqual([]);
  expect(hasEnded(state)).toBe(false);
  // What it reports in between is known to the next execution.
  feed(report('r1.one', 'done', { outputs: { x: 1 } }), true);
  expect(feed({ is: 'start' })).toEqual([waited]);
  feed({ is: 'ended', key: 'one/child', result: { x: 1 } });
  expect(state.steps['one']).toMatchObject({ status: 'done', output: { x: 1 }, child: { run: 'r1.one', state: 'done' } });
  expect(hasEnded(state)).toBe(true);
});

test('a run that nobody waits for at the moment is waited for where its step is given up, and the run above ends after it', () => {
  for (const end of ['cancel', 'failure'] as const) {
    const { state, feed } = begin([step('one', 'pipeline'), step('two', 'call')]);
    feed({ is: 'start' });
    feed({ is: 'withdrawn', key: 'one/child' }, true);
    const other: Event = { is: 'failed', key: 'two/main', error: { type: 'Other', message: 'no' } };
    if (end === 'cancel') feed({ is: 'ended', key: 'two/main', result: {} }, true);
    expect(feed(end === 'cancel' ? { is: 'cancel' } : other, true)).toEqual([waited]);
    expect(hasEnded(state)).toBe(false);
    if (end === 'failure') expect(state.steps['one']?.status).toBe('running');
    feed(report('r1.one', 'cancelled'), true);
    feed({ is: 'withdrawn', key: 'one/child' }, true);
    expect([state.steps['one']?.status, hasEnded(state)]).toEqual(['cancelled', true]);
  }
});

test('a further try is another run, and what is reported of one that is over changes nothing', () => {
  const { state, feed, world } = begin([
    step('one', 'pipeline', { onError: { else: { does: 'fail', retry: { times: 1, everyMs: 1_000 } } } }),
  ]);
  feed({ is: 'start' });
  feed(report('r1.one', 'failed', { error: { type: 'Other', message: 'no' } }));
  feed(report('r1.one', 'done', { outputs: {} }));
  expect(state.steps['one']?.child?.state).toBe('failed');
  feed({ is: 'failed', key: 'one/child', error: { type: 'Other', message: 'no' } });
  world.now = 9_000;
  expect(feed({ is: 'ended', key: 'one/retry', result: null })).toEqual([begun]);
  expect(state.steps['one']?.child).toMatchObject({ run: 'r1.one-2', state: 'running', since: 9_000 });
  feed(report('r1.one', 'approval', { asks: ['ask'] }));
  expect(state.steps['one']?.child?.state).toBe('running');
});

test('a run goes on with the run above it only where it was paused with that, and a pause of a person lasts', () => {
  const { state, feed, world } = begin([step('one', 'call')]);
  const withAbove: Event = { is: 'pause', request: { who: 'ada', note: 'with r0', with: 'r0' } };
  const own: Event = { is: 'pause', request: { who: 'bob' } };
  const aboveGoesOn: Event = { is: 'resume', with: 'r0' };
  feed(withAbove);
  expect(state.paused).toMatchObject({ who: 'ada', with: 'r0' });
  feed(aboveGoesOn);
  expect(state.paused).toBeUndefined();
  feed(own);
  feed(withAbove);
  feed(aboveGoesOn);
  expect(state.paused).toMatchObject({ who: 'bob' });
  feed({ is: 'resume' });
  expect(state.paused).toBeUndefined();
  // Who pauses it while the run above is paused means the run itself.
  feed(withAbove);
  world.now = 5_000;
  feed(own);
  feed(aboveGoesOn);
  expect(state.paused).toMatchObject({ who: 'bob' });
  expect(state.pauses?.map(({ who, to }) => [who, to !== undefined])).toEqual([
    ['ada', true],
    ['bob', true],
    ['ada', true],
    ['bob', false],
  ]);
});

test('ids of runs of steps are different for different steps and tries, and short enough for a folder', () => {
  const paths = ['a', 'a[1].b', 'a[1].b[2].c', 'a[transient].b', 'a_1_b'];
  const ids = paths.flatMap((path) => [childRunId('r', path, 1), childRunId('r', path, 2)]);
  expect(ids.slice(0, 6)).toEqual(['r.a', 'r.a-2', 'r.a-1-b', 'r.a-1-b-2', 'r.a-1-b-2-c', 'r.a-1-b-2-c-2']);
  expect(new Set(ids).size).toBe(ids.length);
  const deep = `a[1].${'b'.repeat(300)}`;
  expect(childRunId('r', deep, 1).length).toBe(200);
  expect(childRunId('r', deep, 1)).not.toBe(childRunId('r', `${deep}c`, 1));
});
