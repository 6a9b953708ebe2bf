import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCallTally } from '../../activities/frame/call-tally.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Calls = Record<string, number>;

test('what was sent is written while an attempt goes on, and the rest at its end', async () => {
  const written: Calls[] = [];
  const tally = createCallTally(async (_step, calls) => void written.push(calls));
  tally.sent('rows', 'a');
  tally.sent('rows', 'a');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual([{ a: 2 }]);
  tally.sent('rows', 'b');
  await tally.end();
  expect(written).toEqual([{ a: 2 }, { b: 1 }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('what each step of a row has sent is written by itself', async () => {
  const written: [string, Calls][] = [];
  const tally = createCallTally(async (...each) => void written.push(each));
  for (const step of ['look', 'mail', 'look']) tally.sent(step, 'a');
  await tally.end();
  expect(written).toEqual([
    ['look', { a: 2 }],
    ['mail', { a: 1 }],
  ]);
});

test('a call that leaves behind the end of its attempt is written too, and leaves no timer', async () => {
  const written: Calls[] = [];
  const tally = createCallTally(async (_step, calls) => void written.push(calls));
  await tally.end();
  for (const operation of ['a', 'b']) {
    tally.sent('rows', operation);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(written).toEqual([{ a: 1 }, { b: 1 }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('the end of an attempt waits for what is being written', async () => {
  const disk = Promise.withResolvers<void>();
  const written: Calls[] = [];
  const tally = createCallTally(async (_step, calls) => {
    await disk.promise;
    written.push(calls);
  });
  tally.sent('rows', 'a');
  await vi.advanceTimersByTimeAsync(1_000);
  let over = false;
  const ended = tally.end().then(() => (over = true));
  await vi.advanceTimersByTimeAsync(0);
  expect(over).toBe(false);
  disk.resolve();
  await ended;
  expect(written).toEqual([{ a: 1 }]);
});

test('a count that cannot be written fails nothing, and those after it are written', async () => {
  const written: Calls[] = [];
  const tally = createCallTally(async (_step, calls) => {
    if ('a' in calls) throw new Error('the disk is full');
    written.push(calls);
  });
  tally.sent('rows', 'a');
  await vi.advanceTimersByTimeAsync(1_000);
  tally.sent('rows', 'b');
  await tally.end();
  expect(written).toEqual([{ b: 1 }]);
});
