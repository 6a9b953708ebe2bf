import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inside } from '../../pipelines/plan.ts';
import { hasEnded } from '../../workflows/interpreter/reduce.ts';
import { wrongEnd } from './lattice-oracle.ts';
import { planOf, play, programs } from './random-programs.ts';

test('whatever is drawn: every key in flight has had a command, nothing starts twice, and the run comes to an end', () => {
  fc.assert(
    fc.property(programs, ([drawn, events]) => {
      const { state, sent, open, inflight, early } = play(planOf(drawn), events);
      expect(inflight).toEqual(open);
      expect(early).toEqual([]);
      expect(hasEnded(state)).toBe(true);
      const once = sent.filter((key) => !/\/(check|expire|retry) /.test(key));
      expect(new Set(once).size).toBe(once.length);
      const plan = planOf(drawn);
      // A loop of a million turns would not fit into a state that keeps them.
      const turns = Object.keys(state.steps).filter((path) => /\[\d+\]/.test(path));
      if (!state.cancelled && !state.error) expect(turns).toEqual([]);
      for (const step of inside(plan, undefined)) expect([step.id, wrongEnd(plan, step, state)]).toEqual([step.id, undefined]);
    }),
    { numRuns: 2_000 },
  );
});

test('control: the programs that are drawn end in every way, and some gates have no duration', () => {
  const ends = new Set<string>();
  fc.assert(
    fc.property(programs, ([drawn, events]) => {
      const { state } = play(planOf(drawn), events);
      ends.add(state.cancelled ? 'cancelled' : state.error ? state.error.type : 'done');
      if (state.error?.message.includes('is not a duration')) ends.add('no duration');
      for (const { status, skipped, retries, reaction } of Object.values(state.steps)) {
        ends.add(skipped?.because ?? status);
        if (reaction) ends.add(`${status} with something done about it`);
        if (retries) ends.add(`${status} after ${retries.begun} more tries`);
      }
    }),
    { numRuns: 500, seed: 7 },
  );
  expect([...ends]).toEqual(
    expect.arrayContaining([
      'done',
      'cancelled',
      'BadInput',
      'Undecided',
      'Rejected',
      'no duration',
      'tolerated',
      'when',
      'needs',
      'failure',
      'done after 1 more tries',
      'tolerated with something done about it',
      'failed with something done about it',
      'failed after 2 more tries',
      'tolerated after 2 more tries',
    ]),
  );
});
