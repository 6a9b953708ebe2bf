import { expect, test } from 'vitest';
import { callInTime, TimedOut } from '../../activities/own/in-time.ts';
import type { Lease } from '../../activities/own/thread/host/threads.ts';

const closed = (): never => {
  throw new Error('the code asks for nothing');
};
const doors = { progress: closed, invoke: closed, pages: closed, secret: closed, rows: closed, fetch: closed };

test('a call ends with its time, whatever its code waits for', async () => {
  const stop = new AbortController();
  const deaf: Lease = {
    ready: async () => undefined,
    call: () => ({ ended: new Promise<never>(() => undefined), ranMs: () => 20 }),
    responds: async () => true,
  };
  const call = callInTime(
    deaf,
    { method: 'run', input: { input: {}, attempt: 1, run: { id: 'r', pipeline: 'p' } }, doors },
    { ms: 10, stop },
  );
  await expect(call.ended).rejects.toThrow(TimedOut);
  expect(call.late()).toBe(true);
  expect(stop.signal.reason).toBeInstanceOf(TimedOut);
});
