import { expect, test } from 'vitest';
import type { Plan, PlanStep } from '../../pipelines/plan.ts';
import type { ChildReport } from '../../workflows/messages.ts';
import { hasEnded, reduce } from '../../workflows/interpreter/reduce.ts';
import { scopeOf } from '../../workflows/interpreter/scope.ts';
import { initialState, type Event, type State, type World } from '../../workflows/interpreter/state.ts';
import { viewOf } from '../../workflows/interpreter/view.ts';
import { undoRun } from '../../workflows/undo-run.ts';
import { barePlan, bareRun, planStep } from './bare-plan.ts';

const step = (id: string, more: Partial<PlanStep> = {}): PlanStep =>
  planStep(id, 'call', { timeouts: { attemptMs: 0, deadlineMs: 0 }, ...more });

/** A run of `one` and `two`, side by side, of which `one` is taken back where the run fails. */
function begin(steps = [step('one'), step('two')], outputs: Plan['outputs'] = {}) {
  const undo: Plan['undo'] = { steps: [step('undo_one', { undoes: 'one' })], sources: [], none: [], onFailure: true };
  const plan = barePlan(steps, { outputs, undo });
  const state: State = initialState(plan);
  const world: World = { plan, run: { ...bareRun }, now: 1_000 };
  const feed = (event: Event, draining = false) => reduce(state, event, world, draining);
  feed({ is: 'start' });
  return { state, world, feed, view: () => viewOf(state, world) };
}

const done = (id: string): Event => ({ is: 'ended', key: `${id}/main`, result: {} });
const failed = (id: string): Event => ({ is: 'failed', key: `${id}/main`, error: { type: 'Other', message: `no ${id}` } });
const report = (state: ChildReport['state'], more: Partial<ChildReport> = {}): Event => ({
  is: 'report',
  report: { step: '', run: 'r1.undo', state, asks: [], ...more },
});
const begun = { do: 'child', key: '/child', step: '', attach: false };

test('a failed run is taken back once nothing of it is under way, and ends after that with its own failure', () => {
  const { state, feed, view } = begin([step('one'), step('two'), step('three')]);
  feed(done('one'));
  expect(feed(failed('two'))).toEqual([]);
  expect(state.undo).toBeUndefined();
  expect(feed(done('three'))).toEqual([begun]);
  expect([hasEnded(state), view().state]).toEqual([false, 'running']);
  feed(report('done'));
  feed({ is: 'ended', key: '/child', result: {} });
  expect(hasEnded(state)).toBe(true);
  expect(view()).toMatchObject({ state: 'failed', error: { step: 'two' }, undo: { run: 'r1.undo', state: 'done' } });
});

test('a run that fails by its own outputs is taken back as one that fails by a step', () => {
  const { state, feed, view } = begin(undefined, { last: '${{ steps.two.none }}' });
  feed(done('one'));
  expect(feed(done('two'))).toEqual([begun]);
  expect([hasEnded(state), view().state]).toEqual([false, 'running']);
  feed(report('done'));
  feed({ is: 'ended', key: '/child', result: {} });
  expect(hasEnded(state)).toBe(true);
  expect(view()).toMatchObject({ state: 'failed', error: { type: 'expression-evaluation' }, undo: { state: 'done' } });
});

test('a run of which nothing is done, one that did not fail, and one that is cancelled are not taken back', () => {
  const none = begin();
  none.feed(failed('one'));
  expect(none.feed(failed('two'))).toEqual([]);
  expect([hasEnded(none.state), none.state.undo]).toEqual([true, undefined]);

  const well = begin();
  well.feed(done('one'));
  expect([well.feed(done('two')), hasEnded(well.state)]).toEqual([[], true]);

  const cancelled = begin();
  cancelled.feed(done('one'));
  cancelled.feed({ is: 'cancel' });
  cancelled.feed(failed('two'));
  expect([hasEnded(cancelled.state), cancelled.view().state, cancelled.state.undo]).toEqual([true, 'cancelled', undefined]);
});

test('a run that continues as new is taken back by the next execution, once', () => {
  const { state, feed } = begin();
  feed(done('one'));
  expect(feed(failed('two'), true)).toEqual([]);
  expect(hasEnded(state)).toBe(false);
  expect(feed({ is: 'start' })).toEqual([begun]);
  expect(feed({ is: 'withdrawn', key: '/child' }, true)).toEqual([]);
  expect(hasEnded(state)).toBe(false);
  expect(feed({ is: 'start' })).toEqual([{ ...begun, attach: true }]);
});

test('a paused run is taken back when it goes on; cancelled before that it is not', () => {
  const { state, feed } = begin();
  feed(done('one'));
  feed({ is: 'pause', request: { who: 'ada' } });
  expect(feed(failed('two'))).toEqual([]);
  expect(feed({ is: 'resume' })).toEqual([begun]);

  const other = begin();
  other.feed(done('one'));
  other.feed({ is: 'pause', request: { who: 'ada' } });
  other.feed(failed('two'));
  other.feed({ is: 'cancel' });
  expect([hasEnded(other.state), other.state.undo, hasEnded(state)]).toEqual([true, undefined, false]);
});

test('a run that is being taken back is not cancelled for a newer one that is to hold its key, a failed one before that is', () => {
  const displaced: Event = { is: 'answered', answer: { is: 'displaced', by: { key: 'k', run: 'r2', who: 'ada' } } };
  const { state, feed, view } = begin();
  feed(done('one'));
  feed(failed('two'));
  feed(displaced);
  expect(feed({ is: 'cancel' })).toEqual([]);
  expect([state.cancelled, view().undo?.state]).toEqual([false, 'running']);
  feed(report('done'));
  feed({ is: 'cancel' });
  feed({ is: 'ended', key: '/child', result: {} });
  expect(hasEnded(state)).toBe(true);
  expect(view()).toMatchObject({ state: 'failed', error: { step: 'two' }, undo: { state: 'done' } });

  const early = begin();
  early.feed(done('one'));
  early.feed(displaced);
  early.feed({ is: 'cancel' });
  early.feed(failed('two'));
  expect(early.view()).toMatchObject({ state: 'cancelled', displaced: { run: 'r2' } });
});

test('an undo that fails, or cannot be begun, stands beside the failure of the run', () => {
  for (const reported of [true, false]) {
    const { state, feed, view } = begin();
    feed(done('one'));
    feed(failed('two'));
    const error = { type: 'Other', message: 'not this time' };
    if (reported) feed(report('failed', { error }));
    feed({ is: 'failed', key: '/child', error });
    expect(hasEnded(state)).toBe(true);
    expect(view()).toMatchObject({ state: 'failed', error: { step: 'two' }, undo: { state: 'failed', error } });
  }
});

test('a run waits for a person where what takes it back does', () => {
  const { feed, view } = begin();
  feed(done('one'));
  feed(failed('two'));
  feed(report('approval', { asks: ['undo_one'] }));
  expect(view()).toMatchObject({ state: 'approval', undo: { state: 'approval', asks: ['undo_one'] } });
  feed(report('running'));
  expect(view().state).toBe('running');
});

test('what takes a run back is of the time of that run, and reads its id and its results as that run had them', () => {
  const { state, world, feed } = begin();
  const time = { scheduledAt: '2026-11-21T12:00:00.000Z' };
  Object.assign(world.run, { time });
  feed({ is: 'ended', key: 'one/main', result: { id: 'made' } });
  feed(failed('two'));
  const { own, childStart } = undoRun(state, world, {
    id: 'r1',
    store: 'file:///runs',
    baseDir: '/',
    host: 'here',
    who: 'ada',
    connections: {},
  });
  expect(childStart).toMatchObject({ id: 'r1.undo', origin: { undoes: 'r1' }, at: time.scheduledAt });
  const run = { ...world.run, id: childStart.id };
  const undone: Plan = { ...own, undoes: { run: 'r1', results: { one: { id: 'made' } } } };
  expect(scopeOf(initialState(undone), { ...world, plan: undone, run })).toMatchObject({
    run: { id: 'r1', pipeline: 'p', ...time },
    steps: { one: { id: 'made' } },
  });
});
