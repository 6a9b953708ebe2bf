import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markNumber, markOf } from '../../text/mark.ts';

test('a mark is the number that it was made of, also of a time before 1970', () => {
  const [first, last] = [BigInt(Date.UTC(1, 0, 1)) * 1_000n, BigInt(Date.UTC(9999, 11, 31)) * 1_000n];
  fc.assert(
    fc.property(fc.constantFrom('time', 'number'), fc.bigInt({ min: first, max: last }), (kind, number) => {
      expect(markNumber(markOf(kind, number))).toBe(number);
    }),
  );
  expect(markOf('time', -1n).value).toBe('1969-12-31T23:59:59.999999Z');
});
