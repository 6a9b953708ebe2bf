import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Plan, PlanStep, Reuse } from '../../pipelines/plan.ts';
import { hasEnded, reduce } from '../../workflows/interpreter/reduce.ts';
import type { World } from '../../workflows/interpreter/state.ts';
import { initialState, parseKey, type Command, type Event, type State } from '../../workflows/interpreter/state.ts';
import { isStopped } from '../../workflows/interpreter/stopped.ts';
import { stillOpen } from '../../workflows/interpreter/take-over.ts';
import { viewOf } from '../../workflows/interpreter/view.ts';
import { barePlan, bareRun as run, planStep } from './bare-plan.ts';

const step = (id: string, kind: PlanStep['kind'], needs: string[] = [], more: Partial<PlanStep> = {}): PlanStep =>
  planStep(id, kind, { needs, ...more });
const planOf = (steps: PlanStep[], outputs = {}): Plan => barePlan(steps, { params: { n: 2 }, outputs });

type Simulation = { state: State; sent: Command[]; order: string[] };

/** Plays the adapter: ends commands in the order that `pick` chooses, drains and carries over where `drainAt` says. */
function simulate(
  plan: Plan,
  options: {
    pick?: (open: Command[]) => number;
    drainAt?: Set<number>;
    chunks?: number;
    on?: (event: number) => Event | undefined;
    reuse?: Reuse;
  } = {},
): Simulation {
  let state = initialState(plan);
  const world: World = { plan, run, now: 0, ...(options.reuse ? { reuse: options.reuse } : {}) };
  const sent: Command[] = [];
  const order: string[] = [];
  const open: Command[] = [];
  const feed = (event: Event, draining = false): void => {
    world.now++;
    const commands = reduce(state, event, world, draining);
    sent.push(...commands);
    open.push(...commands);
  };
  feed({ is: 'start' });
  for (let turn = 0; !hasEnded(state) && turn < 10_000; turn++) {
    const extra = options.on?.(turn);
    if (extra) feed(extra);
    const draining = options.drainAt?.has(turn) ?? false;
    if (draining) {
      // What is under way ends, waits are withdrawn, the state goes through JSON to the next run.
      for (const command of open.splice(0))
        feed(
          command.key.endsWith('/check') || command.do === 'timer' ? { is: 'withdrawn', key: command.key } : ended(command, options.chunks),
          true,
        );
      state = JSON.parse(JSON.stringify(state)) as State;
      feed({ is: 'start' });
      continue;
    }
    if (open.length === 0) break;
    const index = (options.pick?.(open) ?? 0) % open.length;
    const [command] = open.splice(index, 1) as [Command];
    order.push(command.key);
    feed(ended(command, options.chunks));
  }
  return { state, sent, order };
}

function ended(command: Command, chunks = 5): Event {
  const { step: id, phase } = parseKey(command.key);
  const key = command.key;
  if (phase === 'prepare') return { is: 'ended', key, result: { chunks, items: chunks * 10, state: { at: id } } };
  if (phase === 'chunk') return { is: 'ended', key, result: { done: 10, tagged: 10 } };
  if (phase === 'finish') return { is: 'ended', key, result: { id } };
  if (phase === 'check') return { is: 'ended', key, result: { done: true, output: { id } } };
  if (id === 'poll') return { is: 'ended', key, result: { done: false, token: { t: 1 } } };
  return { is: 'ended', key, result: { id, n: 7 } };
}

const diamond = planOf(
  [
    step('a', 'call'),
    step('sweep', 'sweep', ['a'], { window: 3, with: { from: '${{ steps.a.id }}', n: '${{ steps.a.n + params.n }}' } }),
    step('poll', 'poll', ['a']),
    step('last', 'call', ['sweep', 'poll']),
  ],
  { first: '${{ steps.a.id }}', sum: '${{ steps.a.n + 1 }}' },
);

describe('the interpreter', () => {
  test('runs a diamond of all working kinds: order, evaluated inputs, outputs', () => {
    const { state } = simulate(diamond);
    expect(state.outputs).toEqual({ first: 'a', sum: 8 });
    expect(state.steps['sweep']!.input).toEqual({ from: 'a', n: 9 });
    expect(state.steps['sweep']!.counts).toEqual({ done: 50, tagged: 50 });
    expect(viewOf(state, { plan: diamond, run, now: 0 }).state).toBe('done');
  });

  test('whatever the order of endings and wherever it continues as new: every command once, needs first, window kept, same result', () => {
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.nat()),
        fc.array(fc.nat({ max: 12 }), { maxLength: 3 }),
        fc.integer({ min: 0, max: 20 }),
        (stream, drains, chunks) => {
          const { state, sent, order } = simulate(diamond, { pick: () => stream.next().value!, drainAt: new Set(drains), chunks });
          expect(state.outputs).toEqual({ first: 'a', sum: 8 });
          expect(state.steps['sweep']!.counts).toEqual(chunks === 0 ? {} : { done: chunks * 10, tagged: chunks * 10 });
          const repeatable = sent.filter(({ key }) => !key.endsWith('/check'));
          expect(new Set(repeatable.map(({ key }) => key)).size).toBe(repeatable.length);
          expect(sent.filter((command) => command.key.startsWith('sweep/chunk')).length).toBe(chunks);
          if (order.includes('last/main')) expect(order.at(-1)).toBe('last/main');
        },
      ),
    );
  });

  test('keeps to the window', () => {
    const plan = planOf([step('sweep', 'sweep', [], { window: 3 })]);
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    reduce(state, { is: 'start' }, world, false);
    const first = reduce(state, { is: 'ended', key: 'sweep/prepare', result: { chunks: 9, items: 9, state: null } }, world, false);
    expect(first.map(({ key }) => key)).toEqual(['sweep/chunk/0', 'sweep/chunk/1', 'sweep/chunk/2']);
    expect(reduce(state, { is: 'ended', key: 'sweep/chunk/1', result: { done: 1 } }, world, false).map(({ key }) => key)).toEqual([
      'sweep/chunk/3',
    ]);
  });

  test('paused, it sends nothing new and loses nothing; resumed, it goes on', () => {
    const plan = planOf([step('a', 'call'), step('b', 'call', ['a'])]);
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    expect(reduce(state, { is: 'start' }, world, false)).toHaveLength(1);
    reduce(state, { is: 'pause', request: { who: 'ann' } }, world, false);
    expect(reduce(state, { is: 'ended', key: 'a/main', result: { ok: true } }, world, false)).toEqual([]);
    expect(viewOf(state, world)).toMatchObject({ state: 'paused', paused: { who: 'ann' } });
    expect(reduce(state, { is: 'resume' }, world, false).map(({ key }) => key)).toEqual(['b/main']);
  });

  test('a sweep that is paused begins no further chunk, whatever ends; resumed, it fills its window', () => {
    const plan = planOf([step('sweep', 'sweep', [], { window: 2 })]);
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    reduce(state, { is: 'start' }, world, false);
    reduce(state, { is: 'ended', key: 'sweep/prepare', result: { chunks: 5, items: 50, state: null } }, world, false);
    reduce(state, { is: 'pause', request: { who: 'ann' } }, world, false);
    for (const key of ['sweep/chunk/0', 'sweep/chunk/1'])
      expect(reduce(state, { is: 'ended', key, result: { done: 10 } }, world, false)).toEqual([]);
    expect(reduce(state, { is: 'resume' }, world, false).map(({ key }) => key)).toEqual(['sweep/chunk/2', 'sweep/chunk/3']);
  });

  test.each([
    ['with what it has done by then', { is: 'ended', key: 's/chunk/0', result: { done: 3, $part: 1 } }],
    ['before it had begun', { is: 'withdrawn', key: 's/chunk/0' }],
  ] as const)('a chunk that a pause gave up, %s, is sent again when the run is resumed, and counts once', (_, end) => {
    const plan = planOf([step('s', 'sweep', [], { window: 2, each: { as: 'row', outputs: {} } })]);
    const state = initialState(plan);
    const world: World = { plan, run, now: 0 };
    const keys = (event: Event): string[] => reduce(state, event, world, false).map(({ key }) => key);
    keys({ is: 'start' });
    expect(keys({ is: 'ended', key: 's/prepare', result: { chunks: 2, items: 10, state: null } })).toEqual(['s/chunk/0', 's/chunk/1']);
    keys({ is: 'pause', request: { who: 'ann' } });
    expect(isStopped(state, plan, 's/chunk/0', false)).toBe(true);
    expect(keys(end)).toEqual([]);
    expect(keys({ is: 'resume' })).toEqual(['s/chunk/0']);
    expect(isStopped(state, plan, 's/chunk/1', false)).toBe(false);
    keys({ is: 'ended', key: 's/chunk/1', result: { done: 5 } });
    expect(keys({ is: 'ended', key: 's/chunk/0', result: { done: 5 } })).toEqual(['s/finish']);
    expect(state.steps['s']!.counts).toEqual({ done: 10 });
  });

  test('a run that is to continue as new gives up the chunks that go on later, but no rows, and none of a step that ends by its failure', () => {
    const plan = planOf([
      step('short', 'sweep'),
      step('long', 'sweep', [], { goesOn: true, window: 2, onError: { else: { does: 'tolerate' } } }),
      step('longer', 'sweep', [], { goesOn: true }),
      step('rows', 'sweep', [], { goesOn: true, each: { as: 'row', outputs: {} } }),
    ]);
    const state = initialState(plan);
    const world: World = { plan, run, now: 0 };
    const feed = (event: Event, draining: boolean): string[] => reduce(state, event, world, draining).map(({ key }) => key);
    feed({ is: 'start' }, false);
    for (const { id } of plan.steps)
      feed({ is: 'ended', key: `${id}/prepare`, result: { chunks: id === 'long' ? 2 : 1, items: 10, state: null } }, false);
    const stopped = (draining: boolean): string[] => state.inflight.filter((key) => isStopped(state, plan, key, draining));
    expect([stopped(false), stopped(true)]).toEqual([[], ['long/chunk/0', 'long/chunk/1', 'longer/chunk/0']]);
    expect(feed({ is: 'ended', key: 'longer/chunk/0', result: { done: 3, $part: 1 } }, true)).toEqual([]);
    feed({ is: 'failed', key: 'long/chunk/0', error: { type: 'ApiError', message: 'no' } }, true);
    expect(stopped(true)).toEqual([]);
    feed({ is: 'ended', key: 'long/chunk/1', result: { done: 5 } }, true);
    expect(feed({ is: 'start' }, false)).toContain('longer/chunk/0');
  });

  test('a chunk that a pause gave up is sent again also where another one has failed and its step is tried again', () => {
    const onError: PlanStep['onError'] = { refused: { does: 'fail', retry: { times: 2, everyMs: 1_000 } } };
    const plan = planOf([step('s', 'sweep', [], { onError, window: 2, goesOn: true })]);
    const state = initialState(plan);
    const world: World = { plan, run, now: 0 };
    const keys = (event: Event): string[] => reduce(state, event, world, false).map(({ key }) => key);
    keys({ is: 'start' });
    keys({ is: 'ended', key: 's/prepare', result: { chunks: 2, items: 200, state: null } });
    keys({ is: 'failed', key: 's/chunk/0', error: { type: 'BudgetSpent', message: 'the budget has ended' } });
    keys({ is: 'pause', request: { who: 'ann' } });
    expect(keys({ is: 'ended', key: 's/chunk/1', result: { done: 3, $part: 1 } })).toEqual(['s/retry']);
    keys({ is: 'resume' });
    expect(keys({ is: 'ended', key: 's/retry', result: null }).toSorted()).toEqual(['s/chunk/0', 's/chunk/1']);
    for (const key of ['s/chunk/0', 's/chunk/1']) keys({ is: 'ended', key, result: { done: 100 } });
    expect(state.steps['s']).toMatchObject({ counts: { done: 200 }, sweep: { acknowledged: 2 } });
  });

  test('the first who pauses is the one who is shown', () => {
    const plan = planOf([step('a', 'call')]);
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    reduce(state, { is: 'start' }, world, false);
    for (const who of ['ann', 'bob']) reduce(state, { is: 'pause', request: { who } }, world, false);
    expect(viewOf(state, world)).toMatchObject({ paused: { who: 'ann' } });
  });

  test('of several failures the first is the run’s', () => {
    const plan = planOf([step('a', 'call'), step('b', 'call')]);
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    reduce(state, { is: 'start' }, world, false);
    for (const [key, message] of [
      ['b/main', 'first'],
      ['a/main', 'second'],
    ] as const)
      reduce(state, { is: 'failed', key, error: { type: 'ApiError', message } }, world, false);
    expect(viewOf(state, world).error).toMatchObject({ step: 'b', message: 'first' });
  });

  test.each([
    ['beside it in its turn', step('other', 'call', [], { in: 'each' }), 'each[0].other/main'],
    ['in what is done about it', step('log', 'call', [], { in: 'one', on: 'else' }), 'each[0].one[else].log/main'],
  ])('a failure that the file tolerates hides none of which nobody knows what was done: %s', (_, second, unknown) => {
    const plan = planOf([
      step('each', 'loop', [], { with: { items: ['x'] }, each: { as: 'item', outputs: {} }, tolerate: { failed: { share: 1 } } }),
      step('one', 'call', [], { in: 'each', ...(second.on && { onError: { else: { does: 'steps' } } }) }),
      second,
    ]);
    const world = { plan, run, now: 1 };
    const state = initialState(plan);
    reduce(state, { is: 'start' }, world, false);
    for (const [key, type] of [
      ['each[0].one/main', 'BadInput'],
      [unknown, 'Undecided'],
    ] as const)
      reduce(state, { is: 'failed', key, error: { type, message: type } }, world, false);
    expect(viewOf(state, world)).toMatchObject({ state: 'failed', error: { step: 'each', type: 'Undecided' } });
  });

  test('the last step may end while the run drains: it has its outputs all the same', () => {
    const plan = planOf([step('a', 'call')], { id: '${{ steps.a.id }}' });
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    reduce(state, { is: 'start' }, world, false);
    reduce(state, { is: 'ended', key: 'a/main', result: { id: 'a' } }, world, true);
    expect(hasEnded(state)).toBe(true);
    expect(viewOf(state, world)).toMatchObject({ state: 'done', outputs: { id: 'a' } });
  });

  test('a gate whose duration is none fails its step, and nothing of the run is left under way', () => {
    const plan = planOf([step('a', 'call'), step('ok', 'gate', [], { with: { expires: '${{ params.n }}' } })]);
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    expect(reduce(state, { is: 'start' }, world, false)).toEqual([]);
    expect(hasEnded(state)).toBe(true);
    expect(viewOf(state, world).error).toMatchObject({ step: 'ok', message: "with: '2' is not a duration such as 90s, 30m, 24h or 7d" });
  });

  test('a run whose interpreter fails ends when what is under way has ended', () => {
    const plan = planOf([step('a', 'sweep'), step('b', 'call'), step('c', 'call', ['a'], { accepts: { a: ['failed'] } })]);
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    reduce(state, { is: 'start' }, world, false);
    expect(reduce(state, { is: 'ended', key: 'a/prepare', result: null }, world, false)).toEqual([]);
    expect(hasEnded(state)).toBe(false);
    reduce(state, { is: 'ended', key: 'b/main', result: null }, world, false);
    expect(hasEnded(state)).toBe(true);
    expect(viewOf(state, world)).toMatchObject({
      state: 'failed',
      error: { type: 'TypeError' },
      steps: [{ status: 'cancelled' }, { status: 'done' }, { status: 'skipped' }],
    });
  });

  test('of a run whose sources could not be looked at no step begins, whatever it accepts', () => {
    const accepts = { a: ['failed' as const, 'skipped' as const] };
    const plan = planOf([step('a', 'call'), step('b', 'call', ['a'], { accepts })]);
    plan.sources.push({ step: 'b', field: 'source', path: '/gone.csv' });
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    expect(reduce(state, { is: 'start' }, world, false)).toEqual([{ do: 'inspect', key: '/inspect' }]);
    const error = { type: 'BadInput', message: 'gone' };
    expect(reduce(state, { is: 'failed', key: '/inspect', error }, world, false)).toEqual([]);
    expect(hasEnded(state)).toBe(true);
    expect(Object.values(state.steps).map(({ status }) => status)).toEqual(['skipped', 'skipped']);
  });

  test('what fails when the run is cancelled already is no error of it', () => {
    const plan = planOf([step('a', 'call')]);
    plan.sources.push({ step: 'a', field: 'source', path: '/gone.csv' });
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    reduce(state, { is: 'start' }, world, false);
    reduce(state, { is: 'cancel' }, world, false);
    reduce(state, { is: 'failed', key: '/inspect', error: { type: 'BadInput', message: 'gone' } }, world, false);
    expect(hasEnded(state)).toBe(true);
    expect(viewOf(state, world)).toEqual({ run: run.id, pipeline: 'p', state: 'cancelled', steps: expect.anything() });
  });

  test('a failed run that is paused does not end before what reacts to its failure', () => {
    const plan = planOf([step('a', 'call'), step('b', 'call', ['a'], { accepts: { a: ['failed'] } })]);
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    reduce(state, { is: 'start' }, world, false);
    reduce(state, { is: 'pause', request: { who: 'ada' } }, world, false);
    reduce(state, { is: 'failed', key: 'a/main', error: { type: 'ApiError', message: 'no' } }, world, false);
    expect(hasEnded(state)).toBe(false);
    expect(reduce(state, { is: 'resume' }, world, false).map(({ key }) => key)).toEqual(['b/main']);
    reduce(state, { is: 'ended', key: 'b/main', result: null }, world, false);
    expect(hasEnded(state)).toBe(true);
  });

  test('a failure after which nobody knows what was done is not tolerated, and what became of the chunks of one that is gets asked', () => {
    const plan = planOf([step('a', 'sweep', [], { onError: { else: { does: 'tolerate' } }, window: 2 }), step('b', 'call', ['a'])]);
    const world = { plan, run, now: 1 };
    const begun = (): State => {
      const state = initialState(plan);
      reduce(state, { is: 'start' }, world, false);
      reduce(state, { is: 'ended', key: 'a/prepare', result: { chunks: 3, items: 3, state: null } }, world, false);
      return state;
    };
    const tolerated = begun();
    const failed = (type: string, chunk: number): Event => ({ is: 'failed', key: `a/chunk/${chunk}`, error: { type, message: 'no' } });
    expect(reduce(tolerated, failed('ApiError', 0), world, false).map(({ key }) => key)).toEqual(['a/settle/0']);
    reduce(tolerated, { is: 'ended', key: 'a/settle/0', result: { done: 1 } }, world, false);
    expect(reduce(tolerated, { is: 'ended', key: 'a/chunk/1', result: { done: 1 } }, world, false).map(({ key }) => key)).toEqual([
      'b/main',
    ]);
    expect(tolerated.steps['a']).toMatchObject({ status: 'tolerated', counts: { done: 2 } });

    const unknown = begun();
    reduce(unknown, failed('ApiError', 0), world, false);
    reduce(unknown, { is: 'ended', key: 'a/settle/0', result: {} }, world, false);
    reduce(unknown, failed('Undecided', 1), world, false);
    reduce(unknown, { is: 'ended', key: 'a/settle/1', result: {} }, world, false);
    expect(viewOf(unknown, world)).toMatchObject({ state: 'failed', error: { step: 'a', type: 'Undecided' } });
  });

  test('of a step that waits for its next try when the run is cancelled it is asked what became of the chunks that it would send again', () => {
    const onError: PlanStep['onError'] = { transient: { does: 'fail', retry: { times: 2, everyMs: 1_000 } } };
    const plan = planOf([step('a', 'sweep', [], { onError, window: 2 })]);
    const world = { plan, run, now: 1 };
    const state = initialState(plan);
    const feed = (event: Event): string[] => reduce(state, event, world, false).map(({ key }) => key);
    feed({ is: 'start' });
    feed({ is: 'ended', key: 'a/prepare', result: { chunks: 3, items: 3, state: null } });
    expect(feed({ is: 'failed', key: 'a/chunk/0', error: { type: 'NetworkError', message: 'no' } })).toEqual([]);
    expect(feed({ is: 'ended', key: 'a/chunk/1', result: { done: 1 } })).toEqual(['a/retry']);
    expect(viewOf(state, world).steps[0]).toMatchObject({ status: 'running', retries: { now: 2, of: 3 } });
    const cancelled = structuredClone(state);
    expect(feed({ is: 'ended', key: 'a/retry', result: null })).toEqual(['a/chunk/0', 'a/chunk/2']);
    expect(reduce(cancelled, { is: 'cancel' }, world, false).map(({ key }) => key)).toEqual(['a/settle/0']);
  });

  test('of a step that is left while its next try waits for a pause it is asked once what became of its chunks, and its turn ends', () => {
    const onError: PlanStep['onError'] = { else: { does: 'fail', retry: { times: 2, everyMs: 1_000 } } };
    const plan = planOf([
      step('each', 'loop', [], { with: { items: ['one'] }, each: { as: 'item', outputs: {} }, tolerate: { failed: { share: 1 } } }),
      step('sweep', 'sweep', [], { in: 'each', onError }),
      step('other', 'call', [], { in: 'each' }),
    ]);
    const world = { plan, run, now: 1 };
    const state = initialState(plan);
    const feed = (event: Event): string[] => reduce(state, event, world, false).map(({ key }) => key);
    const no = { type: 'Other', message: 'no' };
    feed({ is: 'start' });
    feed({ is: 'ended', key: 'each[0].sweep/prepare', result: { chunks: 1, items: 1, state: null } });
    expect(feed({ is: 'failed', key: 'each[0].sweep/chunk/0', error: no })).toEqual(['each[0].sweep/retry']);
    feed({ is: 'pause', request: { who: 'ada' } });
    expect(feed({ is: 'ended', key: 'each[0].sweep/retry', result: null })).toEqual([]);
    expect(feed({ is: 'failed', key: 'each[0].other/main', error: no })).toEqual(['each[0].sweep/settle/0']);
    expect(feed({ is: 'ended', key: 'each[0].sweep/settle/0', result: { done: 1 } })).toEqual([]);
    feed({ is: 'resume' });
    expect(hasEnded(state)).toBe(true);
    expect(state.steps['each']).toMatchObject({ status: 'done', loop: { failed: 1 } });
  });

  test('the next try begins a job that came to nothing anew, and looks again at one that could not be looked at', () => {
    const onError: PlanStep['onError'] = { else: { does: 'fail', retry: { times: 2, everyMs: 1_000 } } };
    const plan = planOf([step('a', 'poll', [], { onError })]);
    const world = { plan, run, now: 1 };
    const again = (type: string): string[] => {
      const state = initialState(plan);
      const feed = (event: Event): string[] => reduce(state, event, world, false).map(({ key }) => key);
      feed({ is: 'start' });
      feed({ is: 'ended', key: 'a/main', result: { done: false, token: 7 } });
      expect(feed({ is: 'failed', key: 'a/check', error: { type, message: 'no' } })).toEqual(['a/retry']);
      return feed({ is: 'ended', key: 'a/retry', result: null });
    };
    expect(again('NetworkError')).toEqual(['a/check']);
    expect(again('ServiceFailed')).toEqual(['a/main']);
  });

  test('a step of a loop in a loop sees the item of its own turn by the same name, be it null', () => {
    const each = { as: 'item', outputs: {} };
    const plan = planOf([
      step('o', 'loop', [], { with: { items: ['outer'] }, each }),
      step('i', 'loop', [], { in: 'o', with: { items: [1, null] }, each }),
      step('c', 'call', [], { in: 'i', with: { item: '${{ item }}' } }),
    ]);
    const state = initialState(plan);
    reduce(state, { is: 'start' }, { plan, run, now: 1 }, false);
    expect([0, 1].map((turn) => state.steps[`o[0].i[${turn}].c`]!.input)).toEqual([{ item: 1 }, { item: null }]);
  });

  test('what is done about a failure is done before its step ends, and before what follows', () => {
    const plan = planOf([
      step('a', 'call', [], { onError: { else: { does: 'steps' } } }),
      step('log', 'call', [], { in: 'a', on: 'else' }),
      step('b', 'call', ['a']),
    ]);
    const world = { plan, run, now: 1 };
    const state = initialState(plan);
    const feed = (event: Event): string[] => reduce(state, event, world, false).map(({ key }) => key);
    expect(feed({ is: 'start' })).toEqual(['a/main']);
    expect(feed({ is: 'failed', key: 'a/main', error: { type: 'BadInput', message: 'no' } })).toEqual(['a[else].log/main']);
    expect(state.steps['a']!.status).toBe('running');
    expect(feed({ is: 'ended', key: 'a[else].log/main', result: null })).toEqual(['b/main']);
    expect(viewOf(state, world).steps.map(({ id, status }) => [id, status])).toEqual([
      ['a', 'tolerated'],
      ['a[else].log', 'done'],
      ['b', 'running'],
    ]);
  });

  test('what fails of the outputs of a turn that was given up with its loop fails nothing; of an open turn it fails that turn', () => {
    const kept = { $kept: 'file:///nowhere/x.json', sha256: 'x', bytes: 9_000 };
    const each = { as: 'item', outputs: { n: '${{ steps.big.n }}' } };
    const plan = planOf([
      step('big', 'call'),
      step('each', 'loop', ['big'], { with: { items: ['one', 'two'] }, each, onError: { else: { does: 'tolerate' } } }),
      step('a', 'call', [], { in: 'each' }),
      step('after', 'call', ['each']),
    ]);
    const world = { plan, run, now: 1 };
    const state = initialState(plan);
    const feed = (event: Event, of = state): string[] => reduce(of, event, world, false).map(({ key }) => key);
    const error = { type: 'expression-evaluation', message: 'No such key: n' };
    feed({ is: 'start' });
    feed({ is: 'ended', key: 'big/main', result: kept });
    expect(feed({ is: 'ended', key: 'each[0].a/main', result: null })).toEqual(['each[0]/outputs']);
    const open = structuredClone(state);
    expect(feed({ is: 'failed', key: 'each[1].a/main', error })).toEqual(['after/main']);
    expect(feed({ is: 'failed', key: 'each[0]/outputs', error })).toEqual([]);
    feed({ is: 'ended', key: 'after/main', result: null });
    expect(viewOf(state, world)).toMatchObject({ state: 'done', steps: [{}, { status: 'tolerated' }, {}] });

    feed({ is: 'failed', key: 'each[0]/outputs', error }, open);
    expect(open.steps['each']!.loop!.failures).toMatchObject([{ index: 0, error: { message: 'outputs: No such key: n' } }]);
  });

  test('a step whose `when` a worker reads can still be taken over by the next run of a long one', () => {
    const plan = planOf([step('a', 'call'), step('b', 'call', ['a'], { when: '${{ steps.a.large }}' })]);
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    reduce(state, { is: 'start' }, world, false);
    const kept = { $kept: 'file:///kept', sha256: 'x', bytes: 9_999 };
    expect(reduce(state, { is: 'ended', key: 'a/main', result: kept }, world, false)).toMatchObject([{ do: 'evaluate', key: 'b/when' }]);
    const reuse: Reuse = { b: { hash: 'h', output: null, run: 'r0' } };
    expect(stillOpen(reuse, state)).toEqual(reuse);
  });

  test('a failed step fails the run with its error; what was not begun is skipped', () => {
    const plan = planOf([step('a', 'call'), step('b', 'call', ['a']), step('c', 'call')]);
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    reduce(state, { is: 'start' }, world, false);
    reduce(state, { is: 'failed', key: 'a/main', error: { type: 'ApiError', message: 'no' } }, world, false);
    expect(hasEnded(state)).toBe(false);
    expect(reduce(state, { is: 'ended', key: 'c/main', result: null }, world, false)).toEqual([]);
    expect(hasEnded(state)).toBe(true);
    expect(viewOf(state, world)).toMatchObject({
      state: 'failed',
      error: { step: 'a', type: 'ApiError' },
      steps: [{ status: 'failed' }, { status: 'skipped' }, { status: 'done' }],
    });
  });

  test.each([['${{ steps.a.nothing.more }}'], ['${{ 1 / 0 }}'], ['${{ size(5) }}']])(
    'an expression that fails fails the run, never the task: %s',
    (expression) => {
      const plan = planOf([step('a', 'call'), step('b', 'call', ['a'], { with: { x: expression } })]);
      const { state } = simulate(plan);
      expect(state.error?.step).toBe('b');
      expect(hasEnded(state)).toBe(true);
    },
  );

  test('a gate waits, takes a decision, and expires', () => {
    const plan = planOf([step('ok', 'gate', [], { with: { expires: '2h' } }), step('b', 'call', ['ok'])], { who: '${{ steps.ok.who }}' });
    const world = { plan, run, now: 1_000 };
    const decided = initialState(plan);
    expect(reduce(decided, { is: 'start' }, world, false)).toEqual([{ do: 'timer', key: 'ok/expire', ms: 7_200_000 }]);
    expect(viewOf(decided, world).state).toBe('approval');
    expect(
      reduce(decided, { is: 'decide', decision: { step: 'ok', approve: true, who: 'ann', note: 'fine' } }, world, false).map(
        ({ key }) => key,
      ),
    ).toEqual(['b/main']);
    const expired = initialState(plan);
    reduce(expired, { is: 'start' }, world, false);
    reduce(expired, { is: 'ended', key: 'ok/expire', result: null }, world, false);
    expect(expired.error).toMatchObject({ type: 'Expired', step: 'ok' });
    const rejected = initialState(plan);
    reduce(rejected, { is: 'start' }, world, false);
    reduce(rejected, { is: 'decide', decision: { step: 'ok', approve: false, who: 'ann', note: 'no' } }, world, false);
    expect(rejected.error).toMatchObject({ type: 'Rejected', message: 'ann rejected: no' });
  });

  test('sources are fingerprinted before any step begins', () => {
    const plan = { ...planOf([step('a', 'call')]), sources: [{ step: 'a', field: 'source', path: '/x' }] };
    const state = initialState(plan);
    const world = { plan, run, now: 1 };
    expect(reduce(state, { is: 'start' }, world, false)).toEqual([{ do: 'inspect', key: '/inspect' }]);
    expect(
      reduce(state, { is: 'ended', key: '/inspect', result: { '/x': { sha256: 'f', bytes: 1, rows: 1 } } }, world, false).map(
        ({ key }) => key,
      ),
    ).toEqual(['a/main']);
  });
});

describe('results of an earlier run', () => {
  const chain = planOf(
    [
      step('a', 'call', [], { with: { n: '${{ params.n }}' } }),
      step('sweep', 'sweep', ['a'], { with: { from: '${{ steps.a.id }}' } }),
      step('ask', 'gate', ['sweep']),
      step('b', 'call', ['ask'], { with: { n: 1 } }),
      step('c', 'call', ['b'], { with: { from: '${{ steps.b.id }}' } }),
    ],
    { c: '${{ steps.c.id }}' },
  );
  const approve = (turn: number): Event | undefined =>
    turn < 40 ? { is: 'decide', decision: { step: 'ask', approve: true, who: 'ada', note: '' } } : undefined;
  const first = simulate(chain, { on: approve });
  const reuseOf = ({ state }: Simulation) =>
    Object.fromEntries(
      Object.entries(state.steps).map(([id, { inputHash, output }]) => [id, { hash: inputHash!, output: output ?? null, run: 'old' }]),
    );
  const reuse = reuseOf(first);
  const again = (more: Partial<Parameters<typeof simulate>[1]> = {}, plan = chain): Simulation =>
    simulate(plan, { on: approve, reuse, ...more });
  const ran = ({ sent }: Simulation): string[] => [...new Set(sent.map(({ key }) => key.split('/')[0]!))].filter((id) => id !== 'ask');

  test('are taken over without a command; a gate asks again', () => {
    const { state, sent } = again();
    expect(sent.map(({ key }) => key)).toEqual(['ask/expire']);
    expect(state.outputs).toEqual(first.state.outputs);
    expect(state.steps['sweep']).toMatchObject({ status: 'done', reusedFrom: 'old' });
    // It is no work of this run.
    expect(state.steps['sweep']!.counts).toBeUndefined();
    expect(state.steps['ask']!.reusedFrom).toBeUndefined();
    expect(viewOf(state, { plan: chain, run, now: 0 }).steps[0]).toMatchObject({ reusedFrom: 'old', inputHash: reuse['a']!.hash });
  });

  test('are not, where input, code, connection or source are others, nor behind such a step', () => {
    const changed = (id: string, change: Partial<PlanStep>): Plan => ({
      ...chain,
      steps: chain.steps.map((each) => (each.id === id ? { ...each, ...change } : each)),
    });
    expect(ran(again({}, { ...chain, params: { n: 3 } }))).toEqual(['a', 'sweep', 'b', 'c']);
    expect(ran(again({}, changed('sweep', { version: 2 })))).toEqual(['sweep', 'b', 'c']);
    expect(ran(again({}, changed('b', { connections: { maps: 'other' } })))).toEqual(['b', 'c']);
    expect(ran(again({}, changed('c', { use: 'x.other' })))).toEqual(['c']);
    const { c, ...rest } = reuse;
    expect(ran(again({ reuse: { ...rest, c: { ...c!, hash: 'other' } } }))).toEqual(['c']);
  });

  test('are taken over behind a step that is skipped again, and not where it runs now', () => {
    const side = (count: number): Plan => ({
      ...planOf([
        step('s', 'call', [], { when: '${{ params.n > 5 }}' }),
        step('t', 'call', ['s'], { with: { n: 1 }, accepts: { s: ['done', 'skipped'] } }),
      ]),
      params: { n: count },
    });
    const reused: Reuse = { ...reuseOf(simulate(side(2))), s: 'skipped' };
    expect(ran(simulate(side(2), { reuse: reused }))).toEqual([]);
    expect(ran(simulate(side(6), { reuse: reused }))).toEqual(['s', 't']);
    expect(ran(simulate(side(2), { reuse: { t: reused['t']! } }))).toEqual(['t']);
    const { state } = simulate(side(2), { reuse: reused });
    expect(stillOpen(reused, state)).toEqual({ s: 'skipped' });
  });

  test('come through continue-as-new, where a drained run still has steps to begin', () => {
    expect(stillOpen(reuse, again({ reuse: {} }).state)).toEqual({});
    const state = initialState(chain);
    reduce(state, { is: 'start' }, { plan: chain, run, now: 0, reuse }, false);
    expect(Object.keys(stillOpen(reuse, state))).toEqual(['b', 'c']);
  });
});
