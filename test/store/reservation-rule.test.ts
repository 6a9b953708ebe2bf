import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verdictOn, verdictOnMore } from '../../store/reservation-rule.ts';

/**
 * What a step under a cap may do next: set aside for a new item, see a turn of one end, and prompt one again whose turn has ended.
 * `cost` is a share of what was set aside for it.
 */
type Move =
  | { is: 'reserve'; most: number }
  | { is: 'turn'; which: number; cost: number }
  | { is: 'further'; which: number }
  | { is: 'commit'; which: number };

const which = fc.nat(50);
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ is: fc.constant('reserve' as const), most: fc.integer({ min: 0, max: 1_000 }) }),
  fc.record({ is: fc.constant('turn' as const), which, cost: fc.double({ min: 0, max: 1.5, noNaN: true }) }),
  fc.record({ is: fc.constant('further' as const), which }),
  fc.record({ is: fc.constant('commit' as const), which }),
);

/** `turn`: it is in one; `aside`: what is set aside for it stands in the purse, and not what it has spent. */
type Item = { most: number; spent: number; last: number; turn: boolean; aside: boolean };

const purseOf = (items: readonly Item[]): { amount: number; open: number } => ({
  amount: items.reduce((sum, { most, spent, aside }) => sum + (aside ? most : spent), 0),
  open: items.filter(({ aside }) => aside).length,
});

/** One of those that it holds for, or none. */
const oneOf = (items: readonly Item[], at: number, holds: (item: Item) => boolean): Item | undefined => {
  const found = items.filter(holds);
  return found[at % Math.max(1, found.length)];
};

test('whatever turns cost and in whatever order they end, more than the cap is spent only by what turns cost beyond what was set aside for them, and no item goes beyond its own by more than a turn', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000 }), fc.array(move, { maxLength: 120 }), (total, moves) => {
      const items: Item[] = [];
      for (const next of moves) {
        if (next.is === 'reserve') {
          const purse = purseOf(items);
          const verdict = verdictOn(purse, next.most, total);
          expect(verdict === 'reserved').toBe(purse.amount + next.most <= total);
          if (verdict !== 'reserved') expect(verdict).toBe(purse.open > 0 ? 'wait' : 'never');
          else items.push({ most: next.most, spent: 0, last: 0, turn: true, aside: true });
        } else if (next.is === 'turn') {
          const item = oneOf(items, next.which, ({ turn }) => turn);
          if (!item) continue;
          item.last = Math.round(item.most * next.cost);
          item.spent += item.last;
          item.turn = false;
        } else if (next.is === 'further') {
          const item = oneOf(items, next.which, ({ turn }) => !turn);
          if (!item) continue;
          const others = purseOf(items.filter((each) => each !== item));
          const verdict = verdictOnMore(others, item, total);
          item.aside = item.turn = verdict === 'reserved';
          // Nothing begins that what is left of the cap does not cover.
          if (item.turn) expect(purseOf(items).amount).toBeLessThanOrEqual(total);
          else expect(verdict).toBe(item.spent < item.most && others.open > 0 ? 'wait' : 'never');
        } else {
          const item = oneOf(items, next.which, ({ turn }) => !turn);
          if (item) item.aside = false;
        }
        const beyond = items.reduce((sum, { spent, most }) => sum + Math.max(0, spent - most), 0);
        expect(items.reduce((sum, { spent }) => sum + spent, 0)).toBeLessThanOrEqual(total + beyond);
        for (const { spent, most, last } of items) expect(spent - most).toBeLessThanOrEqual(last);
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
