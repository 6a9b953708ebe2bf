import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reduce } from '../../workflows/interpreter/reduce.ts';
import { differences, drawnFate, replay, runPlainly, tame } from './plain-run.ts';
import { planOf, programs } from './random-programs.ts';

test('whatever the order of events, and through continue-as-new, a program comes to what a plain evaluator makes of it', () => {
  fc.assert(
    fc.property(programs, fc.nat(), fc.infiniteStream(fc.nat({ max: 1_000 })), ([drawn], salt, chances) => {
      const plan = { ...planOf(drawn), steps: tame(planOf(drawn).steps) };
      const { state, events } = runPlainly(plan, drawnFate(salt), () => chances.next().value!, reduce);
      expect(differences(plan, drawnFate(salt), state)).toEqual([]);
      expect(replay(plan, events, reduce)).toEqual(state);
    }),
    { numRuns: 1_000 },
  );
});
