import fc from 'fast-check';
import { expect, test } from 'vitest';
import { admit, createPermits, permitsBySubject, type Permits } from '../../client/permits.ts';
import type { Reservation } from '../../client/permit-queue.ts';
import type { Clock } from '../../client/clock.ts';
import { limitSubject } from '../../contracts/limits.ts';

/** Time that moves only when the test moves it; whatever is due runs in order, and what it leads to is waited for. */
function createTime() {
  let now = 1_000;
  let serial = 0;
  const timers = new Map<number, { at: number; run: () => void }>();
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  const clock: Clock = {
    now: () => now,
    after(ms, run) {
      const id = serial++;
      timers.set(id, { at: now + ms, run });
      return () => void timers.delete(id);
    },
  };
  const pass = async (ms: number): Promise<void> => {
    const end = now + ms;
    await settled();
    for (;;) {
      const next = [...timers].filter(([, { at }]) => at <= end).sort(([a, one], [b, other]) => one.at - other.at || a - b)[0];
      if (!next) break;
      timers.delete(next[0]);
      now = Math.max(now, next[1].at);
      next[1].run();
      await settled();
    }
    now = end;
  };
  return { clock, pass, timers: () => timers.size };
}

const permitsAt = (clock: Clock, known: Parameters<typeof createPermits>[0] = {}): Permits => createPermits(known, { clock });

/** Sends through a permit: notes when it left, and is answered after so long. */
async function sending(permits: Permits, time: ReturnType<typeof createTime>, name: string, sent: string[], answerMs = 0): Promise<void> {
  const permit = await permits.reserve('a');
  await permit.ready(Infinity);
  sent.push(`${name} ${time.clock.now() - 1_000}`);
  await new Promise<void>((resolve) => void time.clock.after(answerMs, resolve, true));
  permit.confirm();
}

test('a known limit is a sliding window, and a place is one in it: it says when it comes', async () => {
  const time = createTime();
  const permits = permitsAt(time.clock, { a: { count: 3, seconds: 60 } });
  for (let at = 0; at < 3; at++) {
    const permit = await permits.reserve('a');
    expect(await permit.ready(0)).toBe(true);
    permit.confirm();
  }
  const fourth = await permits.reserve('a');
  const fifth = await permits.reserve('a', { count: 2 });
  expect([fourth.inMs, fifth.inMs]).toEqual([60_000, 60_000]);
  expect((await permits.reserve('a')).inMs).toBe(120_000);
  expect(await fourth.ready(1_500)).toBe(false);
  await time.pass(60_000);
  expect(await fourth.ready(0)).toBe(true);
});

test('a limit counts a request when it was answered: the service may have counted it as late', async () => {
  const time = createTime();
  const permits = permitsAt(time.clock, { a: { count: 1, seconds: 10 } });
  const first = await permits.reserve('a');
  await first.ready(0);
  await time.pass(400);
  first.confirm();
  const next = await permits.reserve('a');
  expect(next.inMs).toBe(10_000);
  await time.pass(10_000);
  await next.ready(0);
  // Never answered: taken as counted one second later.
  await time.pass(5_000);
  expect((await permits.reserve('a')).inMs).toBe(6_000);
});

test('more at a time than the window ever has is refused', async () => {
  await expect(createPermits({ a: { count: 3, seconds: 60 } }).reserve('a', { count: 4 })).rejects.toThrow('the limit has 3 in 60 s');
});

test('an earlier, longer closing stands, and classes do not touch each other', async () => {
  const time = createTime();
  const permits = permitsAt(time.clock);
  permits.closed('a', 10_000);
  permits.closed('a', 2_000);
  expect(permits.remaining('a')).toBe(10_015);
  expect((await permits.reserve('a')).inMs).toBe(10_015);
  expect(await (await permits.reserve('b')).ready(0)).toBe(true);
  await time.pass(10_015);
  expect(await (await permits.reserve('a')).ready(0)).toBe(true);
});

test('a closing holds back those who wait already', async () => {
  const time = createTime();
  const permits = permitsAt(time.clock);
  permits.closed('a', 1_000);
  const permit = await permits.reserve('a');
  const ready = permit.ready(1_500);
  await time.pass(500);
  permits.closed('a', 1_400);
  await time.pass(100);
  expect(await ready).toBe(false);
  expect(permit.inMs).toBe(1_315);
});

test('after a closing one goes first, and each that is answered well lets two follow', async () => {
  const time = createTime();
  const permits = permitsAt(time.clock);
  const sent: string[] = [];
  permits.closed('a', 985);
  const all = Array.from({ length: 8 }, (_, at) => sending(permits, time, `r${at}`, sent, 100));
  await time.pass(1_000);
  expect(sent).toEqual(['r0 1000']);
  await time.pass(100);
  expect(sent).toEqual(['r0 1000', 'r1 1100', 'r2 1100']);
  // The first of the two is refused: all others wait again.
  permits.closed('a', 1_985);
  await time.pass(2_000);
  expect(sent).toEqual(['r0 1000', 'r1 1100', 'r2 1100', 'r3 3100']);
  await time.pass(300);
  await Promise.all(all);
  expect(sent.slice(4)).toEqual(['r4 3200', 'r5 3200', 'r6 3300', 'r7 3300']);
});

test('nobody overtakes one who asks for several places', async () => {
  const time = createTime();
  const permits = permitsAt(time.clock);
  const sent: number[] = [];
  permits.closed('a', 985);
  await Promise.all(
    [1, 1, 2, 1].map(async (count, at) => {
      const permit = await permits.reserve('a', { count });
      void permit.ready(Infinity).then(() => {
        sent.push(at);
        time.clock.after(300, permit.confirm, true);
      });
    }),
  );
  await time.pass(1_400);
  expect(sent).toEqual([0, 1]);
  await time.pass(300);
  expect(sent).toEqual([0, 1, 2, 3]);
});

test('whoever comes back gets the place that was kept, and whoever does not holds nobody up', async () => {
  const time = createTime();
  const permits = permitsAt(time.clock, { a: { count: 1, seconds: 10 } });
  (await reserved(permits)).confirm();
  const [ada, grace, katherine] = await Promise.all(['ada', 'grace', 'katherine'].map((holder) => permits.reserve('a', { holder })));
  expect([ada, grace, katherine].map((place) => place!.inMs)).toEqual([10_000, 20_000, 30_000]);
  await time.pass(20_000);
  const again = await permits.reserve('a', { holder: 'grace' });
  expect(again.inMs).toBe(0);
  expect(await again.ready(0)).toBe(true);
  again.confirm();
  // Ada's place has been dropped, Katherine's is next.
  expect(katherine!.inMs).toBe(10_000);
});

const reserved = async (permits: Permits): Promise<Reservation> => {
  const permit = await permits.reserve('a');
  await permit.ready(Infinity);
  return permit;
};

test('what is given back, or was waited for in vain, is the next one’s', async () => {
  const time = createTime();
  const permits = permitsAt(time.clock, { a: { count: 1, seconds: 10 } });
  const first = await reserved(permits);
  const stop = new AbortController();
  const second = permits.reserve('a').then((permit) => permit.ready(Infinity, stop.signal));
  const third = await permits.reserve('a');
  first.giveBack();
  expect(await second).toBe(true);
  expect(third.inMs).toBe(11_000);
  const waits = third.ready(Infinity, stop.signal);
  const fourth = await permits.reserve('a');
  stop.abort(new Error('cancelled'));
  await expect(waits).rejects.toThrow('cancelled');
  expect(fourth.inMs).toBe(11_000);
});

test('a call whose turn is far gets its wait, and its place is kept only where it has a name', async () => {
  const time = createTime();
  const permits = permitsAt(time.clock, { a: { count: 1, seconds: 10 } });
  (await reserved(permits)).confirm();
  const asking = { operation: 'maps.user.get', requestId: 'r' };
  await expect(admit(permits, 'a', asking)).rejects.toMatchObject({ name: 'Throttled', sent: false, waitMs: 10_000 });
  await expect(admit(permits, 'a', { ...asking, holder: 'h' })).rejects.toMatchObject({ waitMs: 10_000 });
  await expect(admit(permits, 'a', asking)).rejects.toMatchObject({ waitMs: 20_000 });
  await time.pass(10_000);
  await expect(admit(permits, 'a', asking)).rejects.toMatchObject({ waitMs: 10_000 });
  expect(await admit(permits, 'a', { ...asking, holder: 'h' })).toMatchObject({ inMs: 0 });
});

test('a call that the fence stops gives its place back, and so does one whose class was closed at the fence', async () => {
  const time = createTime();
  const permits = permitsAt(time.clock, { a: { count: 1, seconds: 10 } });
  const asking = { operation: 'maps.tags.update', requestId: 'r', holder: 'h' };
  await expect(admit(permits, 'a', { ...asking, fence: () => Promise.reject(new Error('taken over')) })).rejects.toThrow('taken over');
  const closing = admit(permits, 'a', { ...asking, fence: async () => permits.closed('a', 4_985) });
  await expect(closing).rejects.toMatchObject({ name: 'Throttled', sent: false, waitMs: 5_000 });
  await time.pass(5_000);
  expect(await admit(permits, 'a', asking)).toMatchObject({ inMs: 0 });
});

test('the gate of a class is that of whom the service counts', async () => {
  const [address, user, key] = [createPermits(), createPermits(), createPermits()];
  const permits = permitsBySubject({ address, user, key }, limitSubject);
  permits.closed('maps/part', 60_000);
  permits.closed('maps/tag', 30_000);
  expect([address.remaining('maps/part') > 0, user.remaining('maps/part'), user.remaining('maps/tag') > 0]).toEqual([true, 0, true]);
  expect(address.remaining('maps/tag') + key.remaining('maps/tag') + key.remaining('maps/part')).toBe(0);
});

const plans = fc.record({
  count: fc.integer({ min: 1, max: 5 }),
  seconds: fc.integer({ min: 1, max: 5 }),
  acts: fc.array(
    fc.record({
      after: fc.integer({ min: 0, max: 700 }),
      places: fc.integer({ min: 1, max: 3 }),
      answerMs: fc.integer({ min: 0, max: 1_500 }),
      end: fc.constantFrom('confirm', 'confirm', 'confirm', 'giveBack', 'abort', 'close', 'lose'),
    }),
    { minLength: 1, maxLength: 40 },
  ),
});

test('never more than the limit in any window, strictly in order, never while closed, and nothing leaks', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ count, seconds, acts }) => {
      const time = createTime();
      const now = time.clock.now;
      const permits = permitsAt(time.clock, { a: { count, seconds } });
      /** When the service may have counted each request: between its sending and its answer, at most a second later. */
      const sent: { asked: number; from: number; to: number }[] = [];
      let closedUntil = 0;
      const all = acts.map(async ({ places, answerMs, end }, asked) => {
        const stop = new AbortController();
        const permit = await permits.reserve('a', { count: Math.min(places, count) });
        if (end === 'abort') time.clock.after(answerMs, () => stop.abort(new Error('stopped')), true);
        const mine = await permit.ready(Infinity, stop.signal).catch(() => false);
        if (!mine) return;
        expect(now()).toBeGreaterThanOrEqual(closedUntil);
        if (end === 'giveBack') return permit.giveBack();
        const from = now();
        const counted = { asked, from, to: from + 1_000 };
        for (let at = 0; at < Math.min(places, count); at++) sent.push(counted);
        if (end === 'lose') return;
        await new Promise<void>((resolve) => void time.clock.after(answerMs, resolve, true));
        counted.to = Math.min(counted.to, now());
        if (end === 'close') {
          permits.closed('a', answerMs);
          closedUntil = Math.max(closedUntil, now() + answerMs);
        }
        permit.confirm();
      });
      for (const { after } of acts) await time.pass(after);
      await time.pass(1_000_000);
      await Promise.all(all);
      for (const { to } of sent)
        expect(sent.filter(({ from }) => from > to - 1 && from < to + seconds * 1_000).length).toBeLessThanOrEqual(count);
      expect(sent.map(({ asked }) => asked)).toEqual(sent.map(({ asked }) => asked).toSorted((a, b) => a - b));
      expect(time.timers()).toBe(0);
      const [whole] = [await permits.reserve('a', { count })];
      expect(whole.inMs).toBe(0);
    }),
    { numRuns: 200 },
  );
});
