import { expect, test } from 'vitest';
import { hasEnded, reduce } from '../../workflows/interpreter/reduce.ts';
import { initialState, type Command, type Event } from '../../workflows/interpreter/state.ts';
import { viewOf } from '../../workflows/interpreter/view.ts';
import { barePlan, bareRun, planStep } from './bare-plan.ts';

test.each([
  ['stands beside the step that failed', []],
  ['comes behind a step that ends later', ['look']],
])('no gate of a loop that failed, which is tolerated, waits for a person: one that %s', (_, needs) => {
  const plan = barePlan([
    planStep('loop', 'loop', {
      with: { items: ['a', 'b'] },
      each: { as: 'item', outputs: {} },
      onError: { else: { does: 'tolerate' } },
    }),
    planStep('look', 'call', { in: 'loop' }),
    planStep('ok', 'gate', { in: 'loop', needs }),
    planStep('act', 'call', { in: 'loop', needs: ['ok'] }),
  ]);
  const state = initialState(plan);
  const feed = (event: Event): Command[] => reduce(state, event, { plan, run: bareRun, now: 1 }, false);
  feed({ is: 'start' });
  feed({ is: 'failed', key: 'loop[0].look/main', error: { type: 'BadInput', message: 'bad' } });
  expect(feed({ is: 'ended', key: 'loop[1].look/main', result: {} })).toEqual([]);
  // The workflow takes back the timers of gates that nobody waits for any more.
  for (const key of [...state.inflight]) feed({ is: 'withdrawn', key });
  expect(hasEnded(state)).toBe(true);
  expect(viewOf(state, { plan, run: bareRun, now: 1 })).toMatchObject({ state: 'done', steps: [{ id: 'loop', status: 'tolerated' }] });
});

test('a gate whose `when` is read only after the run has failed waits for nobody', () => {
  const plan = barePlan([
    planStep('big', 'call'),
    planStep('bad', 'call'),
    planStep('ok', 'gate', { needs: ['big'], when: '${{ steps.big.n > 1 }}' }),
    planStep('act', 'call', { needs: ['ok'] }),
  ]);
  const state = initialState(plan);
  const feed = (event: Event): Command[] => reduce(state, event, { plan, run: bareRun, now: 1 }, false);
  feed({ is: 'start' });
  // A value that is kept in a file is read by an activity, which takes its time.
  const kept = { $kept: 'values/x.json', sha256: 'a'.repeat(64), bytes: 9_000 };
  expect(feed({ is: 'ended', key: 'big/main', result: kept }).map(({ key }) => key)).toEqual(['ok/when']);
  feed({ is: 'failed', key: 'bad/main', error: { type: 'BadInput', message: 'bad' } });
  expect(hasEnded(state)).toBe(false);
  expect(feed({ is: 'ended', key: 'ok/when', result: true })).toEqual([]);
  expect(hasEnded(state)).toBe(true);
  expect(state.steps['ok']).toMatchObject({ status: 'cancelled' });
  expect(viewOf(state, { plan, run: bareRun, now: 1 }).state).toBe('failed');
});
