import { expect, test } from 'vitest';
import { parseMark } from '../../text/mark.ts';
import { utcTime } from '../../text/utc-time.ts';

test.each([
  ['2024-12-31', '2024-12-31T00:00:00.000Z'],
  ['2024-12-31T23:59', '2024-12-31T23:59:00.000Z'],
  ['2024-12-31 23:59:59.123456', '2024-12-31T23:59:59.123Z'],
  ['2024-12-31T23:59:59+01:00', '2024-12-31T22:59:59.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
])('%s is the instant %s', (text, instant) => {
  expect(new Date(Number(utcTime(text)! / 1_000n)).toISOString()).toBe(instant);
});

test.each(['2026-02-31', '2025-02-29', '2026-13-01', '2026-01-01T25:00', 'monday', '2026-1-1', '2026-01-01T', ''])(
  '%s is no time',
  (text) => {
    expect([utcTime(text), parseMark(text)]).toEqual([undefined, undefined]);
  },
);

test('a mark keeps microseconds', () => {
  expect(parseMark('2024-12-31T23:59:59.123456')).toEqual({ kind: 'time', value: '2024-12-31T23:59:59.123456Z' });
});
