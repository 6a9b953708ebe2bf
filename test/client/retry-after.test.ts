import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classify, floorMs } from '../../client/classify.ts';
import { Wait } from '../../client/wait.ts';
import { parseHttpDate, parseRetryAfter } from '../../client/retry-after.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const imf = (ms: number): string => new Date(ms).toUTCString();
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const rfc850 = (ms: number): string => {
  const at = new Date(ms);
  const [, day, month, year, time] = /, (\d\d) (\w{3}) (\d{4}) ([\d:]+)/.exec(imf(ms))!;
  return `${days[at.getUTCDay()]}, ${day}-${month}-${year!.slice(2)} ${time} GMT`;
};
const asctime = (ms: number): string => {
  const [, weekday, day, month, year, time] = /(\w{3}), (\d\d) (\w{3}) (\d{4}) ([\d:]+)/.exec(imf(ms))!;
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`;
};
const year = 365 * 86_400_000;

/** Header, expected wait in ms (undefined: junk). */
const vectors: [string | null, number | undefined][] = [
  [null, undefined],
  ['0', 0],
  ['1', 1_000],
  ['2', 2_000],
  ['120', 120_000],
  ['3600', 3_600_000],
  ['86400', 86_400_000],
  [' 2', 2_000],
  ['2 ', 2_000],
  ['\t2\t', 2_000],
  ['007', 7_000],
  [imf(now + 3_000), 3_000],
  [imf(now + 120_000), 120_000],
  [imf(now), 0],
  [imf(now - 5_000), 0],
  [rfc850(now + 3_000), 3_000],
  [rfc850(now - 5_000), 0],
  [rfc850(now + 86_400_000), 86_400_000],
  [asctime(now + 3_000), 3_000],
  [asctime(now - 5_000), 0],
  [asctime(now + 12 * 86_400_000), 12 * 86_400_000],
  [imf(now + 10 * year), 10 * year],
  [imf(now - 10 * year), 0],
  [rfc850(now + 10 * year), 10 * year],
  [asctime(now + 10 * year), 10 * year],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ['Sun Nov  6 08:49:37 1994', 0],
  ['120, 60', 120_000],
  ['60, 120', 120_000],
  ['60,120', 120_000],
  ['2, soon', 2_000],
  ['soon, 2', 2_000],
  [`${imf(now + 3_000)}, 10`, 10_000],
  [`10, ${imf(now + 30_000)}`, 30_000],
  [`${imf(now + 3_000)}, ${imf(now + 9_000)}`, 9_000],
  [`${rfc850(now + 3_000)}, ${rfc850(now + 9_000)}`, 9_000],
  ['', undefined],
  [' ', undefined],
  [',', undefined],
  ['-1', undefined],
  ['+1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['0x10', undefined],
  ['Infinity', undefined],
  ['NaN', undefined],
  ['null', undefined],
  ['soon', undefined],
  ['2s', undefined],
  ['2 s', undefined],
  ['"2"', undefined],
  ['٢', undefined],
  ['9'.repeat(30), 2_147_483_648_000],
  ['4294967296', 2_147_483_648_000],
  ['2026-11-21T12:00:05Z', undefined],
  ['2026', 2_026_000],
  ['Sat, 21 Nov 2026 12:00:05', undefined],
  ['Sat, 21 Nov 2026 12:00:05 UTC', undefined],
  ['Sat, 21 Nov 2026 25:00:05 GMT', undefined],
  ['Sat, 31 Feb 2026 12:00:05 GMT', undefined],
  ['Sat, 1 Nov 2026 12:00:05 GMT', undefined],
  ['Xyz, 21 Nov 2026 12:00:05 GMT', undefined],
  ['sat, 21 nov 2026 12:00:05 gmt', undefined],
];

describe('Retry-After', () => {
  test.each(vectors)('%j is %s ms', (header, expected) => {
    expect(parseRetryAfter(header, { now })).toBe(expected);
  });

  test.each([-7_200_000, -60_000, 60_000, 7_200_000])(
    "a date is measured against the answer's Date when the clock here is off by %d ms",
    (skew) => {
      for (const form of [imf, rfc850, asctime]) {
        expect(parseRetryAfter(form(now + 30_000), { now: now + skew, date: imf(now) })).toBe(30_000);
      }
      expect(parseRetryAfter('30', { now: now + skew, date: imf(now) })).toBe(30_000);
    },
  );

  test('all three forms of any date say the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: -40 * 365, max: 40 * 365 }), fc.integer({ min: 0, max: 86_399 }), (dayOffset, second) => {
        const at = Math.floor((now + dayOffset * 86_400_000) / 86_400_000) * 86_400_000 + second * 1_000;
        expect([imf(at), rfc850(at), asctime(at)].map((text) => parseHttpDate(text, now))).toEqual([at, at, at]);
      }),
    );
  });
});

describe('classify', () => {
  test('never waits less than asked, never less than the floor, whatever the status and header', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 599 }),
        fc.oneof(
          fc.constant(null),
          fc.string(),
          fc.nat({ max: 100_000 }).map(String),
          fc.integer({ min: -100_000, max: 100_000 }).map((s) => imf(now + s * 1_000)),
        ),
        (status, retryAfter) => {
          const verdict = classify({ status, retryAfter, now });
          const asked = parseRetryAfter(retryAfter, { now }) ?? 0;
          if (verdict.kind === 'wait') expect(verdict.ms).toBeGreaterThanOrEqual(Math.max(asked, floorMs));
          if (verdict.kind === 'done' && verdict.holdMs !== undefined)
            expect(verdict.holdMs).toBeGreaterThanOrEqual(Math.max(asked, floorMs));
          if (verdict.kind === 'done') expect(status).toBeLessThan(300);
          expect(classify({ status, retryAfter, now })).toEqual(verdict);
        },
      ),
    );
  });

  test.each([202, 301, 307, 400, 403, 404, 409, 429, 500, 502, 503, 504])('%d with Retry-After is a wait', (status) => {
    expect(classify({ status, retryAfter: '7', now })).toEqual({ kind: 'wait', ms: 7_000, asked: true });
  });

  test('an answered call with Retry-After is an answer that holds the next', () => {
    for (const status of [200, 201, 204]) expect(classify({ status, retryAfter: '7', now })).toEqual({ kind: 'done', holdMs: 7_000 });
  });

  test.each([
    [429, 'wait'],
    [503, 'wait'],
  ] as const)('%d with junk falls to the floor', (status, kind) => {
    for (const retryAfter of ['', '0', '-1', 'soon', imf(now - 5_000), null]) {
      expect(classify({ status, retryAfter, now })).toMatchObject({ kind, ms: floorMs });
    }
  });

  test.each([
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [409, false],
    [422, false],
    [408, true],
    [425, true],
    [500, true],
    [502, true],
    [504, true],
    [507, true],
    [522, true],
    [524, true],
    [530, true],
    [501, false],
    [505, false],
    [301, false],
  ])('%d without Retry-After fails, retryable: %s', (status, retryable) => {
    expect(classify({ status, now })).toEqual({ kind: 'fail', retryable });
  });
});

test.each([0, 0.2])('a wait of %d s is one of a second: nothing is asked again without a pause', (seconds) => {
  expect(Wait.after(seconds)).toMatchObject({ waitMs: 1_000 });
  expect(Wait.after(new Response('', { status: 429, headers: { 'retry-after': '0' } }))).toMatchObject({ waitMs: 1_000 });
});
