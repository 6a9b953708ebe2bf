import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWakingClock, wakingClock } from '../../activities/frame/waking-clock.ts';

/** A machine that runs, sleeps, and whose wall clock is set; its uptime is in hundredths of a second, as the kernel gives it. */
function machine() {
  const at = { steady: 5_000, slept: 0, set: 1_700_000_000_000, readings: 0 };
  const clock = createWakingClock({
    steady: () => at.steady,
    wall: () => at.set + at.steady + at.slept,
    waking: () => {
      at.readings++;
      return Math.floor((at.steady + at.slept) / 10) * 10;
    },
  });
  return { at, clock };
}

test('what the machine runs and sleeps is counted, whatever its wall clock is set to, and the clock never goes back', () => {
  const events = fc.array(
    fc.record({ what: fc.constantFrom('steady', 'slept', 'set'), ms: fc.integer({ min: 0, max: 100_000 }), back: fc.boolean() }),
  );
  fc.assert(
    fc.property(events, (happened) => {
      const { at, clock } = machine();
      const first = clock();
      let last = first;
      let passed = 0;
      for (const { what, ms, back } of happened) {
        at[what] += what === 'set' && back ? -ms : ms;
        if (what !== 'set') passed += ms;
        const now = clock();
        expect(now).toBeGreaterThanOrEqual(last);
        // As exact as the uptime, and what is not noticed yet.
        expect(Math.abs(now - first - passed)).toBeLessThanOrEqual(20);
        last = now;
      }
    }),
  );
});

test('the uptime is read only where the wall clock has moved against the steady one', () => {
  const { at, clock } = machine();
  const { readings } = at;
  for (let call = 0; call < 1_000; call++) {
    at.steady += 1;
    clock();
  }
  expect(at.readings).toBe(readings);
  at.slept += 60_000;
  clock();
  clock();
  expect(at.readings).toBe(readings + 1);
});

test('the clock of this machine goes on with it', () => {
  const before = performance.now();
  const first = wakingClock();
  expect(first).toBeGreaterThanOrEqual(before);
  expect(wakingClock()).toBeGreaterThanOrEqual(first);
});
