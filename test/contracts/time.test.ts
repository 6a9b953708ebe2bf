import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { instant } from '../../contracts/time.ts';
import { covers } from '../../contracts/maps/coverage.ts';

afterEach(() => vi.unstubAllEnvs());

const zones = ['UTC', 'Asia/Kolkata', 'America/New_York'] as const;

test('a time without a zone is UTC, wherever the machine stands', () => {
  fc.assert(
    fc.property(
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }),
      fc.constantFrom(...zones),
      (date, zone) => {
        vi.stubEnv('TZ', zone);
        const [text, at] = [date.toISOString(), date.getTime()];
        expect(instant(text)).toBe(at);
        expect(instant(text.slice(0, -1))).toBe(at);
        expect(instant(text.slice(0, -1).replace('T', ' '))).toBe(at);
        expect(instant(text.replace('Z', '+00:00'))).toBe(at);
      },
    ),
  );
});

test.each(zones)('a map made before the last change does not hold the data: %s', (zone) => {
  vi.stubEnv('TZ', zone);
  const made = (updated_timestamp: string) => ({ projections: [{ ready: true, updated_timestamp }] }) as Parameters<typeof covers>[0];
  const changedAt = Date.UTC(2026, 0, 2, 12);
  expect(covers(made('2026-01-02T11:59:59.999999'), { changedAt })).toBe(false);
  expect(covers(made('2026-01-02T12:00:00.000000'), { changedAt })).toBe(true);
});
