import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lagPauses, readsWithin } from '../../pipelines/steps/looks.ts';

test('the last read of what may lag comes when it no longer can, and none after it', () => {
  fc.assert(
    fc.property(fc.nat(600_000), (lagMs) => {
      const pauses = lagPauses(lagMs);
      const all = pauses.reduce((sum, pause) => sum + pause, 0);
      expect(all).toBeGreaterThan(lagMs);
      expect(all - pauses.at(-1)!).toBeLessThanOrEqual(lagMs);
      expect(readsWithin(lagMs)).toBe(pauses.length + 1);
    }),
  );
});
