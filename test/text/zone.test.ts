import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantIn, instantOf, nextClockChange, offsetAt, wrongZone, zoned } from '../../text/zone.ts';

const hour = 3_600_000;
const zones = Intl.supportedValuesOf('timeZone');
const zone = fc.constantFrom(...zones);
const instant = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2045, 0) });

test('what clocks show at an instant is shown again by the instant that stands for it, the first one where it is there twice', () => {
  fc.assert(
    fc.property(zone, instant, (name, at) => {
      const wall = at + offsetAt(name, at);
      const found = instantOf(name, wall);
      expect(found).toBeLessThanOrEqual(at);
      expect(found + offsetAt(name, found)).toBe(wall);
    }),
  );
  // 02:30 is skipped on one day, and there twice on the other.
  expect(new Date(instantOf('Europe/Madrid', Date.UTC(2027, 2, 28, 2, 30))).toISOString()).toBe('2027-03-28T01:30:00.000Z');
  expect(new Date(instantOf('Europe/Madrid', Date.UTC(2027, 9, 31, 2, 30))).toISOString()).toBe('2027-10-31T00:30:00.000Z');
  expect(new Date(instantOf('Africa/Cairo', Date.UTC(2027, 3, 30))).toISOString()).toBe('2027-04-29T22:00:00.000Z');
});

test('the next change of clocks is the first instant with another offset', () => {
  fc.assert(
    fc.property(zone, instant, (name, after) => {
      const change = nextClockChange(name, after);
      if (!change) {
        expect(offsetAt(name, after + 300 * 24 * hour)).toBe(offsetAt(name, after));
        return;
      }
      expect(change.at).toBeGreaterThan(after);
      expect(offsetAt(name, change.at) - offsetAt(name, change.at - 1_000)).toBe(change.by);
    }),
    { numRuns: 30 },
  );
  expect(nextClockChange('America/New_York', Date.UTC(2027, 0))).toEqual({ at: Date.UTC(2027, 2, 14, 7), by: hour });
  expect(nextClockChange('America/New_York', Date.UTC(2027, 2, 14, 7))).toEqual({ at: Date.UTC(2027, 10, 7, 6), by: -hour });
  expect(nextClockChange('UTC', 0)).toBeUndefined();
  expect(nextClockChange('Asia/Tokyo', Date.UTC(2027, 0))).toBeUndefined();
});

test('a zone that is none is refused with the one that was meant', () => {
  for (const name of [...zones, 'UTC', 'Etc/GMT+5', 'Asia/Kolkata']) expect(wrongZone(name), name).toBeUndefined();
  expect(wrongZone('europe/madrid')).toEqual({ meant: 'Europe/Madrid' });
  expect(wrongZone('Europe/Madird')).toEqual({ meant: 'Europe/Madrid' });
  for (const name of ['Mars/Base', '+01:00', '', 'Local']) expect(wrongZone(name), name).toBeDefined();
});

test('an instant is shown by the clocks of its zone, and a time that is typed is one of them', () => {
  expect(zoned('Europe/Madrid', Date.UTC(2027, 0, 1, 5, 15))).toBe('2027-01-01 06:15 +01:00');
  expect(zoned('America/St_Johns', Date.UTC(2027, 0, 1, 5, 15, 7))).toBe('2027-01-01 01:45:07 -03:30');
  expect(zoned('UTC', 0)).toBe('1970-01-01 00:00 UTC');
  expect(instantIn('Europe/Madrid', '2027-07-01T06:15')).toBe(Date.UTC(2027, 6, 1, 4, 15));
  expect(instantIn('Europe/Madrid', '2027-07-01 06:15:00Z')).toBe(Date.UTC(2027, 6, 1, 6, 15));
  expect(instantIn('Europe/Madrid', '2027-07-01T06:15-05:00')).toBe(Date.UTC(2027, 6, 1, 11, 15));
  expect(instantIn('Asia/Tokyo', '2027-07-01')).toBe(Date.UTC(2027, 5, 30, 15));
  for (const text of ['', 'now', '2027', '2027-13-01', '2027-02-30', '2027-07-01T25:00', '2027-07-01Z'])
    expect(instantIn('UTC', text), text).toBeUndefined();
});
