import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verdictOn } from '../../store/reservation-rule.ts';

/** What a step under a cap may do next: set aside for a new item, or see one end. `cost` is a share of what was set aside for it. */
type Move = { is: 'reserve'; most: number } | { is: 'commit'; which: number; cost: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ is: fc.constant('reserve' as const), most: fc.integer({ min: 0, max: 1_000 }) }),
  fc.record({ is: fc.constant('commit' as const), which: fc.nat(50), cost: fc.double({ min: 0, max: 1.5, noNaN: true }) }),
);

type Item = { reserved: number; spent: number | undefined };

const purseOf = (items: readonly Item[]): { amount: number; open: number } => ({
  amount: items.reduce((sum, { reserved, spent }) => sum + (spent ?? reserved), 0),
  open: items.filter(({ spent }) => spent === undefined).length,
});

test('whatever items cost and in whatever order they end, more than the cap is spent only by what items cost beyond what was set aside for them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000 }), fc.array(move, { maxLength: 80 }), (total, moves) => {
      const items: Item[] = [];
      let beyond = 0;
      for (const next of moves) {
        if (next.is === 'reserve') {
          const purse = purseOf(items);
          const verdict = verdictOn(purse, next.most, total);
          expect(verdict === 'reserved').toBe(purse.amount + next.most <= total);
          if (verdict !== 'reserved') expect(verdict).toBe(purse.open > 0 ? 'wait' : 'never');
          else items.push({ reserved: next.most, spent: undefined });
        } else {
          const open = items.filter(({ spent }) => spent === undefined);
          const item = open[next.which % Math.max(1, open.length)];
          if (!item) continue;
          item.spent = Math.round(item.reserved * next.cost);
          beyond += Math.max(0, item.spent - item.reserved);
        }
        expect(purseOf(items).amount).toBeLessThanOrEqual(total + beyond);
      }
    }),
    { numRuns: 10_000 },
  );
});

test('what waits is given or refused for good once nothing is set aside any more', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.nat(1_000), fc.nat(2_000), (amount, most, total) => {
      expect(verdictOn({ amount, open: 0 }, most, total)).not.toBe('wait');
    }),
  );
});
