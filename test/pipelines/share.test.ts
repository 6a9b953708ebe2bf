import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mostOfShare } from '../../pipelines/share.ts';

test('a share of whole percent is as many as that, for any number of items', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 10_000_000 }), (percent, of) => {
      expect(mostOfShare(percent / 100, of)).toBe(Number((BigInt(percent) * BigInt(of)) / 100n));
    }),
  );
  expect(mostOfShare(0.29, 100)).toBe(29);
});
