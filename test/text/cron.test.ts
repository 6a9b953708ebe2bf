import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wrongCron } from '../../text/cron.ts';

const bounds = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

const field = ([from, to]: readonly [number, number]): fc.Arbitrary<string> => {
  const value = fc.integer({ min: from, max: to });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const base = fc.oneof(fc.constant('*'), range);
  const part = fc.oneof(
    value.map(String),
    base,
    fc.tuple(base, fc.integer({ min: 1, max: to })).map(([of, step]) => `${of}/${step}`),
  );
  return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','));
};

test('a line of five fields whose numbers are there is right, with one outside it is not', () => {
  const line = fc.tuple(...bounds.map(field));
  fc.assert(fc.property(line, (fields) => wrongCron(fields.join(' ')) === undefined));
  fc.assert(
    fc.property(line, fc.nat(4), (fields, at) => {
      const outside = fields.with(at, String(bounds[at]![1] + (at === 4 ? 2 : 1)));
      expect(wrongCron(outside.join(' '))).toMatch(/is not there: it is from/);
    }),
  );
});

test.each([['15 6 * * 1-5'], ['  0   0 1 JAN Mon '], ['*/20 0-6/2 1,15 */3 7']])('%s is right', (line) =>
  expect(wrongCron(line)).toBeUndefined(),
);

test.each([
  ['', 'five fields are due (minute, hour, day of the month, month, day of the week), not 0'],
  ['0 15 6 * * 1-5', 'not 6'],
  ['@daily', 'not 1'],
  ['60 * * * *', 'the minute 60 is not there: it is from 0 to 59'],
  ['* * 0 * *', 'the day of the month 0 is not there'],
  ['* * * 13 *', 'the month 13 is not there'],
  ['* 22-2 * * *', "'22-2' goes backwards: write 2-22"],
  ['* * * * 1-', "'1-' is no day of the week"],
  ['*/0 * * * *', "'*/0' is no minute"],
  ['* * L * *', "'L' is no day of the month"],
  ['* * * * MO', "'MO' is no day of the week"],
  ['1-2-3 * * * *', "'1-2-3' is no minute"],
])('%s is refused: %s', (line, why) => expect(wrongCron(line)).toContain(why));
