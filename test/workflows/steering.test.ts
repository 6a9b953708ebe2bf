import { describe, expect, test } from 'vitest';
import { endStatuses } from '../../pipelines/plan.ts';
import type { Plan, PlanStep } from '../../pipelines/plan.ts';
import { hasEnded, reduce } from '../../workflows/interpreter/reduce.ts';
import type { World } from '../../workflows/interpreter/state.ts';
import { initialState, type Event, type State } from '../../workflows/interpreter/state.ts';
import { viewOf } from '../../workflows/interpreter/view.ts';
import { barePlan, bareRun, planStep } from './bare-plan.ts';

const step = (id: string, kind: PlanStep['kind'], needs: string[] = []): PlanStep => planStep(id, kind, { needs });

/** A run of these steps that has begun. */
function begin(steps: PlanStep[], sources: Plan['sources'] = []) {
  const plan = barePlan(steps, { sources });
  const state: State = initialState(plan);
  const world: World = { plan, run: bareRun, now: 1_000 };
  const feed = (event: Event, draining = false): string[] => reduce(state, event, world, draining).map(({ key }) => key);
  return { state, world, feed, view: () => viewOf(state, world) };
}

const pause: Event = { is: 'pause', request: { who: 'ann' } };
const done = (key: string): Event => ({ is: 'ended', key, result: { done: true, output: {} } });

describe('a paused run', () => {
  test('begins no step and reads no source', () => {
    const run = begin([step('a', 'call')], [{ step: 'a', field: 'source', path: '/x' }]);
    expect(run.feed(pause)).toEqual([]);
    expect(run.feed({ is: 'start' })).toEqual([]);
    expect(run.feed({ is: 'resume' })).toEqual(['/inspect']);
    run.feed(pause);
    expect(run.feed({ is: 'ended', key: '/inspect', result: { '/x': { sha256: 'f', bytes: 1, rows: 1 } } })).toEqual([]);
    expect(run.view()).toMatchObject({ state: 'paused', steps: [{ status: 'waiting' }] });
    expect(run.feed({ is: 'resume' })).toEqual(['a/main']);
  });

  test('goes on looking at what it waits for', () => {
    const run = begin([step('poll', 'poll')]);
    expect(run.feed({ is: 'start' })).toEqual(['poll/main']);
    run.feed(pause);
    expect(run.feed({ is: 'ended', key: 'poll/main', result: { done: false, token: 1 } })).toEqual(['poll/check']);
  });
});

describe('a run whose key another run holds', () => {
  const holder = { run: 'r0', workflowId: 'r0', firstRunId: 'f0', who: 'ada@ship', since: '2026-11-23T12:00:00.000Z' };
  const queued: Event = { is: 'queued', for: 'local/movies' };
  const granted: Event = { is: 'answered', answer: { is: 'granted' } };
  const source = [{ step: 'a', field: 'source', path: '/x' }];

  test('reads no source and begins no step before it has the key', () => {
    const run = begin([step('a', 'call')], source);
    expect(run.feed(queued)).toEqual([]);
    expect(run.view()).toMatchObject({ state: 'queued', queued: { key: 'local/movies', since: new Date(1_000).toISOString() } });
    expect(run.feed(pause)).toEqual([]);
    expect(run.view().state).toBe('paused');
    expect(run.feed({ is: 'resume' })).toEqual([]);
    expect(run.feed(granted)).toEqual(['/inspect']);
    expect(run.view().queued).toBeUndefined();
    expect(run.feed(granted)).toEqual([]);
    const other = begin([step('a', 'call')]);
    other.feed(queued);
    expect(other.feed(granted)).toEqual(['a/main']);
  });

  test('is refused, and names the holder; ends where it is cancelled, and does not what stands under finally', () => {
    const last: PlanStep = { ...step('last', 'call', ['a']), finally: true, accepts: { a: ['done', 'failed', 'skipped', 'cancelled'] } };
    const refused = begin([step('a', 'call'), last]);
    refused.feed(queued);
    expect(refused.feed({ is: 'answered', answer: { is: 'refused', holder } })).toEqual([]);
    expect(hasEnded(refused.state)).toBe(true);
    expect(refused.view()).toMatchObject({
      state: 'refused',
      error: {
        type: 'Held',
        message: expect.stringContaining('local/movies is held by run r0, started by ada@ship, since 2026-11-23 12:00:00 UTC'),
      },
    });
    const cancelled = begin([step('a', 'call'), last]);
    cancelled.feed(queued);
    expect(cancelled.feed({ is: 'cancel' })).toEqual([]);
    expect(hasEnded(cancelled.state)).toBe(true);
    expect(cancelled.feed(granted)).toEqual([]);
    expect(cancelled.view()).toMatchObject({ state: 'cancelled', steps: [{ status: 'cancelled' }, { status: 'cancelled' }] });
    const tooLate = begin([step('a', 'call')]);
    tooLate.feed(queued);
    tooLate.feed({ is: 'cancel' });
    tooLate.feed({ is: 'answered', answer: { is: 'refused', holder } });
    expect(tooLate.view().error).toBeUndefined();
  });
});

test('what stands under finally begins in a cancelled run when all that was under way has ended, and what became of it is known', () => {
  const accepts = { a: [...endStatuses], b: [...endStatuses] };
  const run = begin([step('a', 'call'), step('b', 'sweep'), { ...step('last', 'call', ['a', 'b']), finally: true, accepts }]);
  expect(run.feed({ is: 'start' })).toEqual(['a/main', 'b/prepare']);
  expect(run.feed({ is: 'ended', key: 'b/prepare', result: { chunks: 1, items: 10, state: null } })).toEqual(['b/chunk/0']);
  expect(run.feed({ is: 'cancel' })).toEqual([]);
  expect(run.view()).toMatchObject({ steps: [{ status: 'cancelled' }, { status: 'cancelled' }, { status: 'waiting' }] });
  expect(run.feed({ is: 'withdrawn', key: 'a/main' })).toEqual([]);
  expect(run.feed({ is: 'withdrawn', key: 'b/chunk/0' })).toEqual(['b/settle/0']);
  expect(run.feed({ is: 'ended', key: 'b/settle/0', result: {} })).toEqual(['last/main']);
  run.feed(done('last/main'));
  expect(hasEnded(run.state)).toBe(true);
});

test('of what stands under finally in a cancelled run each begins when those it needs have ended, whatever else of it goes on', () => {
  const last = (id: string, needs: string[]): PlanStep => ({
    ...step(id, 'call', needs),
    finally: true,
    accepts: Object.fromEntries(needs.map((need) => [need, [...endStatuses]])),
  });
  const run = begin([step('a', 'call'), last('first', ['a']), last('second', ['a']), last('third', ['first'])]);
  run.feed({ is: 'start' });
  run.feed({ is: 'cancel' });
  expect(run.feed({ is: 'withdrawn', key: 'a/main' })).toEqual(['first/main', 'second/main']);
  expect(run.feed(done('first/main'))).toEqual(['third/main']);
});

test('a pause ends when the run is cancelled: what stands under finally waits for nobody', () => {
  const last: PlanStep = { ...step('last', 'call', ['a']), finally: true, accepts: { a: [...endStatuses] } };
  const run = begin([step('a', 'call'), last]);
  run.feed({ is: 'start' });
  run.feed(pause);
  run.feed({ is: 'cancel' });
  expect(run.feed({ is: 'withdrawn', key: 'a/main' })).toEqual(['last/main']);
  run.feed(done('last/main'));
  expect(hasEnded(run.state)).toBe(true);
  expect(run.view()).toMatchObject({ state: 'cancelled', pauses: [{ who: 'ann', to: expect.any(String) }] });
});

test('a pause ends when the run is resumed, and both stand in the view', () => {
  const run = begin([step('a', 'call')]);
  run.feed(pause);
  run.world.now = 5_000;
  run.feed({ is: 'resume' });
  expect(run.view().pauses).toEqual([{ who: 'ann', from: new Date(1_000).toISOString(), to: new Date(5_000).toISOString() }]);
  expect(run.view().paused).toBeUndefined();
});

test('an input that became large is evaluated by a worker, which keeps it in the run store', () => {
  const [a, b] = [step('a', 'call'), step('b', 'call', ['a'])];
  const text = '${{ steps.a.text }}';
  const run = begin([a, { ...b, with: { text: Array(10).fill(text) } }]);
  run.feed({ is: 'start' });
  expect(run.feed({ is: 'ended', key: 'a/main', result: { text: 'x'.repeat(1_000) } })).toEqual(['b/input']);
});

describe('a gate', () => {
  test('keeps the note of its decision: of an approval in its result, of a rejection in the reason', () => {
    const decided = (approve: boolean) => {
      const run = begin([step('ok', 'gate')]);
      run.feed({ is: 'start' });
      run.feed({ is: 'decide', decision: { step: 'ok', approve, who: 'ann', note: 'seen by two' } });
      return run.view();
    };
    expect(decided(true).steps[0]!.output).toEqual({ approved: true, who: 'ann', note: 'seen by two', at: new Date(1_000).toISOString() });
    expect(decided(false).error).toMatchObject({ type: 'Rejected', message: 'ann rejected: seen by two' });
  });

  test('is skipped where another step fails, and takes no decision then', () => {
    const run = begin([step('ok', 'gate'), step('a', 'call'), step('b', 'call', ['ok'])]);
    expect(run.feed({ is: 'start' })).toEqual(['ok/expire', 'a/main']);
    run.feed({ is: 'failed', key: 'a/main', error: { type: 'ApiError', message: 'no' } });
    expect(run.view().steps.map(({ status }) => status)).toEqual(['skipped', 'failed', 'skipped']);
    expect(run.feed({ is: 'decide', decision: { step: 'ok', approve: true, who: 'ann', note: '' } })).toEqual([]);
    expect(run.view().steps[0]!.status).toBe('skipped');
  });

  test('whose input is known after another step has failed, or the run was cancelled, waits for nobody', () => {
    for (const over of [{ is: 'cancel' }, { is: 'failed', key: 'b/main', error: { type: 'ApiError', message: 'no' } }] satisfies Event[]) {
      const [a, b, gate] = [step('a', 'call'), step('b', 'call'), step('ok', 'gate', ['a'])];
      const run = begin([a, b, { ...gate, with: { show: Array(10).fill('${{ steps.a.text }}') } }]);
      run.feed({ is: 'start' });
      expect(run.feed({ is: 'ended', key: 'a/main', result: { text: 'x'.repeat(1_000) } })).toEqual(['ok/input']);
      run.feed(over);
      expect(run.feed({ is: 'ended', key: 'ok/input', result: { show: 'all' } })).toEqual([]);
      expect(run.view().steps[2]!.status).not.toBe('approval');
    }
  });

  test('that was decided does not expire', () => {
    const run = begin([step('ok', 'gate'), step('b', 'call', ['ok'])]);
    run.feed({ is: 'start' });
    expect(run.feed({ is: 'decide', decision: { step: 'ok', approve: true, who: 'ann', note: '' } })).toEqual(['b/main']);
    run.feed({ is: 'ended', key: 'ok/expire', result: null });
    expect(run.view()).toMatchObject({ state: 'running', steps: [{ status: 'done' }, { status: 'running' }] });
  });

  test('whose timer is set again waits for the rest of its time', () => {
    const run = begin([step('ok', 'gate')]);
    run.feed({ is: 'start' });
    run.world.now += 45_000;
    run.feed({ is: 'withdrawn', key: 'ok/expire' }, true);
    expect(reduce(run.state, { is: 'start' }, run.world, false)).toEqual([{ do: 'timer', key: 'ok/expire', ms: 15_000 }]);
  });

  test('is what a run waits for only where nothing else is under way', () => {
    const run = begin([step('ok', 'gate'), step('a', 'call')]);
    run.feed({ is: 'start' });
    expect(run.view().state).toBe('running');
    run.feed(done('a/main'));
    expect(run.view().state).toBe('approval');
  });
});

test('a cancelled run has no error of what was cancelled', () => {
  const run = begin([step('a', 'call'), step('b', 'call', ['a'])]);
  run.feed({ is: 'start' });
  run.feed({ is: 'cancel' });
  run.feed({ is: 'failed', key: 'a/main', error: { type: 'CancelledFailure', message: 'cancelled' } });
  expect(run.view()).toMatchObject({ state: 'cancelled', steps: [{ status: 'cancelled' }, { status: 'cancelled' }] });
  expect(run.view().error).toBeUndefined();
  expect(hasEnded(run.state)).toBe(true);
});

test('what was done before a cancellation stays done', () => {
  const run = begin([step('a', 'call'), step('b', 'call', ['a'])]);
  run.feed({ is: 'start' });
  run.feed(done('a/main'));
  run.feed({ is: 'cancel' });
  expect(run.view().steps.map(({ status }) => status)).toEqual(['done', 'cancelled']);
});

test('what is reported twice, or of a command that was never sent, changes nothing', () => {
  const run = begin([step('a', 'call'), step('b', 'call', ['a'])]);
  run.feed({ is: 'start' });
  expect(run.feed({ is: 'ended', key: 'b/main', result: { n: 0 } })).toEqual([]);
  expect(run.feed({ is: 'ended', key: 'a/main', result: { n: 1 } })).toEqual(['b/main']);
  expect(run.feed({ is: 'ended', key: 'a/main', result: { n: 2 } })).toEqual([]);
  expect(run.view().steps.map(({ status, output }) => [status, output])).toEqual([
    ['done', { n: 1 }],
    ['running', undefined],
  ]);
});
