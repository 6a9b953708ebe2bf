import { expect, test } from 'vitest';
import { createFence, GivenAway, type Standing } from '../../activities/frame/fence.ts';

/** A fence on a clock that stands still until it is moved; `says` is what the server says, question by question. */
function fenced(says: Standing[], { attemptMs = 60_000 } = {}) {
  const world = { now: 0, asked: 0, over: undefined as GivenAway | undefined, takesMs: 0 };
  const stop = new AbortController();
  const fence = createFence({
    confirm: async () => {
      world.asked++;
      world.now += world.takesMs;
      return says[Math.min(world.asked, says.length) - 1]!;
    },
    over: (reason) => (world.over = reason),
    attemptMs,
    signal: stop.signal,
    clock: () => world.now,
  });
  return { world, fence, stop };
}

test('the first effect of an attempt is confirmed, and so is each that comes 2 s after the last question', async () => {
  const { world, fence } = fenced(['held']);
  await fence();
  expect(world.asked).toBe(1);
  world.now = 1_999;
  await fence();
  expect(world.asked).toBe(1);
  world.now = 2_000;
  await fence();
  expect(world.asked).toBe(2);
});

test('effects beside each other share one question', async () => {
  const { world, fence } = fenced(['held']);
  await Promise.all([fence(), fence(), fence()]);
  expect(world.asked).toBe(1);
});

test('the time counts from before the question: what took long to come is asked again', async () => {
  const { world, fence } = fenced(['held']);
  world.takesMs = 2_500;
  const passed = fence();
  await Promise.resolve();
  world.takesMs = 10;
  await passed;
  expect(world.asked).toBe(2);
});

test('an attempt that was given away sends nothing, now and later, and its end is reported once', async () => {
  const { world, fence } = fenced(['held', 'given away', 'held']);
  await fence();
  world.now = 5_000;
  await expect(fence()).rejects.toBeInstanceOf(GivenAway);
  expect(world.over).toBeInstanceOf(GivenAway);
  await expect(fence()).rejects.toBe(world.over);
  expect(world.asked).toBe(2);
});

test('an unreachable server is asked again, and nothing is sent meanwhile', async () => {
  const { world, fence } = fenced(['unreachable', 'unreachable', 'held']);
  await fence();
  expect(world.asked).toBe(3);
});

test('a server that stays unreachable is waited for by the engine, not in the attempt', async () => {
  const { world, fence } = fenced(['unreachable']);
  world.takesMs = 61_000;
  await expect(fence()).rejects.toMatchObject({ name: 'Unavailable', resource: 'temporal' });
});

test('nothing is sent in the last second of the time that an attempt has', async () => {
  const { world, fence } = fenced(['held'], { attemptMs: 10_000 });
  world.now = 8_900;
  await fence();
  world.now = 9_001;
  await expect(fence()).rejects.toBeInstanceOf(GivenAway);
});

test('a cancelled attempt passes no more', async () => {
  const { fence, stop } = fenced(['held']);
  stop.abort(new Error('cancelled'));
  await expect(fence()).rejects.toThrow('cancelled');
});
