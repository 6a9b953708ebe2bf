import fc from 'fast-check';
import { expect, test } from 'vitest';
import { definition as approve } from '../../pipelines/steps/gate/approve.ts';
import { duration } from '../../pipelines/file/schema.ts';
import { milliseconds } from '../../text/duration.ts';

test.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
])('%s are %i ms', (text, ms) => {
  expect(milliseconds(text)).toBe(ms);
});

test('what is read as a duration in a file is one wherever it is used, and nothing else is', () => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^-?\d{0,3}\.?[smhdw ]?$/));
  fc.assert(
    fc.property(texts, (text) => {
      const fits = duration.safeParse(text).success;
      expect(approve.input.safeParse({ expires: text }).success).toBe(fits);
      if (fits) expect(milliseconds(text)).toBeGreaterThan(0);
      else expect(() => milliseconds(text)).toThrow('is not a duration such as');
    }),
  );
});
