import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeOf, windowUnits, type PlanWindow } from '../../pipelines/window.ts';
import { offsetAt } from '../../text/zone.ts';

const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
const instant = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2045, 0) });
const windowAt = (at: number, window: PlanWindow): { from: string; to: string } => timeOf(at, window).window!;

test('the windows of a zone lie end to end, each has ended when its run is due, and none is empty', () => {
  fc.assert(
    fc.property(fc.constantFrom(...windowUnits), zone, instant, (of, timezone, at) => {
      const { from, to } = windowAt(at, { of, timezone });
      expect(Date.parse(to)).toBeLessThanOrEqual(at);
      expect(Date.parse(from)).toBeLessThan(Date.parse(to));
      expect(windowAt(Date.parse(to), { of, timezone })).toEqual({ from, to });
      expect(windowAt(Date.parse(from), { of, timezone }).to).toBe(from);
    }),
  );
});

test('days, weeks and months begin at midnight by the clocks of the zone', () => {
  const cases: [PlanWindow['of'], string, string, string][] = [
    ['hour', '2027-03-28T00:59:00Z', '2027-03-27T23:00:00.000Z', '2027-03-28T00:00:00.000Z'],
    ['day', '2027-03-29T00:30:00Z', '2027-03-27T23:00:00.000Z', '2027-03-28T22:00:00.000Z'],
    ['day', '2027-11-01T01:30:00Z', '2027-10-30T22:00:00.000Z', '2027-10-31T23:00:00.000Z'],
    ['week', '2027-03-31T10:00:00Z', '2027-03-21T23:00:00.000Z', '2027-03-28T22:00:00.000Z'],
    ['month', '2027-01-01T00:00:00Z', '2026-11-30T23:00:00.000Z', '2026-12-31T23:00:00.000Z'],
  ];
  for (const [of, at, from, to] of cases)
    expect(windowAt(Date.parse(at), { of, timezone: 'Europe/Madrid' }), `${of} ${at}`).toEqual({ from, to });
  const kolkata = windowAt(Date.parse('2027-01-01T09:35:00Z'), { of: 'hour', timezone: 'Asia/Kolkata' });
  expect(kolkata).toEqual({ from: '2027-01-01T08:30:00.000Z', to: '2027-01-01T09:30:00.000Z' });
  // Half an hour is left out on the third of October, and comes twice on the fourth of April.
  const hoursOf = (...all: string[]) =>
    all.map((at) => Object.values(windowAt(Date.parse(at), { of: 'hour', timezone: 'Australia/Lord_Howe' })).join(' '));
  expect(hoursOf('2027-10-02T16:00:00Z', '2027-10-02T15:59:00Z', '2027-10-02T17:00:00Z')).toEqual([
    '2027-10-02T14:30:00.000Z 2027-10-02T16:00:00.000Z',
    '2027-10-02T13:30:00.000Z 2027-10-02T14:30:00.000Z',
    '2027-10-02T16:00:00.000Z 2027-10-02T17:00:00.000Z',
  ]);
  expect(hoursOf('2027-04-03T15:29:00Z', '2027-04-03T15:30:00Z')).toEqual([
    '2027-04-03T13:00:00.000Z 2027-04-03T14:00:00.000Z',
    '2027-04-03T14:00:00.000Z 2027-04-03T15:30:00.000Z',
  ]);
  expect(offsetAt('Asia/Kolkata', 0)).toBe(5.5 * 3_600_000);
  expect(timeOf(0)).toEqual({ scheduledAt: '1970-01-01T00:00:00.000Z' });
});
