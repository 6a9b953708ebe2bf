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
  fc.assert(fc.property(line, (fields) => wrongCron(fields.with(2, '*').join(' ')) === undefined));
  fc.assert(
    fc.property(line, fc.nat(4), (fields, at) => {
      const outside = fields.with(at, String(bounds[at]![1] + (at === 4 ? 2 : 1)));
      expect(wrongCron(outside.join(' '))).toMatch(/is not there: it is from/);
    }),
  );
});

test('a line that names no day of any year is wrong, and one of the 29th of February is right', () => {
  const days = Array.from({ length: 12 * 31 }, (_, at) => ({ day: 1 + (at % 31), month: 1 + Math.floor(at / 31) }));
  const there = ({ day, month }: { day: number; month: number }): boolean =>
    new Date(Date.UTC(2028, month - 1, day)).getUTCMonth() === month - 1;
  for (const each of days)
    expect([each, wrongCron(`15 6 ${each.day} ${each.month} *`)]).toEqual([
      each,
      there(each) ? undefined : expect.stringContaining('never due'),
    ]);
  // A day of any of the months, and any of the days.
  const two = fc.tuple(fc.constantFrom(...days), fc.constantFrom(...days));
  fc.assert(
    fc.property(two, ([one, other]) => {
      const pairs = [one, other].flatMap(({ day }) => [one, other].map(({ month }) => ({ day, month })));
      const line = `0 0 ${one.day},${other.day} ${other.month},${one.month} *`;
      expect(wrongCron(line) === undefined).toBe(pairs.some(there));
    }),
  );
});

test('a range that goes backwards is named as ranges of the same times', () => {
  const span = (from: number, to: number, step: number): number[] =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);
  const timesOf = (text: string): number[] =>
    text.split(',').flatMap((part) => {
      const [first, last = first, step = 1] = part.split(/[-/]/).map(Number);
      return span(first!, last!, step);
    });
  const sorted = (values: number[]): number[] => [...new Set(values)].toSorted((a, b) => a - b);
  const backwards = fc.nat(4).chain((at) => {
    const [from, to] = bounds[at]!;
    return fc
      .tuple(fc.integer({ min: from, max: at === 4 ? 7 : to }), fc.integer({ min: from, max: to }), fc.integer({ min: 1, max: 5 }))
      .filter(([low, high]) => low > high)
      .map(([low, high, step]) => ({ at, low, high, step }));
  });
  fc.assert(
    fc.property(backwards, ({ at, low, high, step }) => {
      const line = (text: string): string => ['*', '*', '*', '*', '*'].with(at, text).join(' ');
      const wrong = wrongCron(line(`${low}-${high}${step > 1 ? `/${step}` : ''}`));
      const { text } = /goes backwards: write (?<text>\S+)$/.exec(wrong!)!.groups!;
      const [from, to] = bounds[at]!;
      const count = to - from + 1;
      const meant = span(low % (at === 4 ? 7 : Infinity), low > to ? high : high + count, step).map(
        (time) => from + ((time - from) % count),
      );
      expect(wrongCron(line(text!))).toBeUndefined();
      expect(sorted(timesOf(text!).map((time) => (at === 4 ? time % 7 : time)))).toEqual(sorted(meant));
    }),
  );
});

test.each([
  ['15 6 * * 1-5'],
  ['0 0 31 * *'],
  ['0 0 29/2 feb *'],
  ['0 0 */31 2 *'],
  ['0 0 30 2/2 *'],
  ['  0   0 1 JAN Mon '],
  ['*/20 0-6/2 1,15 */3 7'],
])('%s is right', (line) => expect(wrongCron(line)).toBeUndefined());

test.each([
  ['', 'five fields are due (minute, hour, day of the month, month, day of the week), not 0'],
  ['0 15 6 * * 1-5', 'not 6'],
  ['@daily', 'not 1'],
  ['60 * * * *', 'the minute 60 is not there: it is from 0 to 59'],
  ['* * 0 * *', 'the day of the month 0 is not there'],
  ['* * * 13 *', 'the month 13 is not there'],
  ['* 22-2 * * *', "'22-2' goes backwards: write 22-23,0-2"],
  ['0 6 * * sat-sun', "'sat-sun' goes backwards: write 6-7"],
  ['0 6 * * fri-mon', "'fri-mon' goes backwards: write fri-sat,sun-mon"],
  ['0 6 * * sat-mon', "'sat-mon' goes backwards: write sat,sun-mon"],
  ['0 0 1 nov-feb *', "'nov-feb' goes backwards: write nov-dec,jan-feb"],
  ['* * * * 1-', "'1-' is no day of the week"],
  ['*/0 * * * *', "'*/0' is no minute"],
  ['* * L * *', "'L' is no day of the month"],
  ['* * * * MO', "'MO' is no day of the week"],
  ['1-2-3 * * * *', "'1-2-3' is no minute"],
  ['0 0 30-31 Feb *', "it is never due: the day of the month 30 is in none of the months 'Feb', whose longest has 29 days"],
  ['0 0 31 4,6,9-11/2 1', "the day of the month 31 is in none of the months '4,6,9-11/2', whose longest has 30 days"],
])('%s is refused: %s', (line, why) => expect(wrongCron(line)).toContain(why));
