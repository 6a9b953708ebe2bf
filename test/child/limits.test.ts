import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Child, Ended } from '../../child/host/child-process.ts';
import { exchange } from '../../child/host/exchange.ts';
import { childLimits, requestMs } from '../../child/child-limits.ts';
import { sourceBytes } from '../../child/source-files.ts';

// The clock stands still but where a test moves it: what the limits of time do rests on no machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** The other side of a request, played by hand: it begins at once, and ends when the test says so. */
function request(mostMs?: number) {
  let id = 0;
  let alive = true;
  const end = (how: Partial<Ended>): void => {
    alive = false;
    child.onEnd?.({ code: null, signal: null, stderr: '', ...how });
  };
  const child: Child = {
    pid: process.pid,
    get alive() {
      return alive;
    },
    send(sent) {
      id = sent.id;
      child.onReply?.({ id, kind: 'started' });
    },
    onReply: undefined,
    onEnd: undefined,
    hold: () => undefined,
    residentBytes: () => undefined,
    kill: () => end({ signal: 'SIGKILL' }),
    ended: Promise.resolve(),
  };
  const outcome = exchange(child, 'inspect', { source: 't.csv' }, { subject: 't.csv', timeMs: 1_000, mostMs, memoryMb: 1_000_000 }).catch(
    (error: unknown) => error,
  );
  return {
    outcome,
    end,
    isAlive: () => alive,
    made: (rows: number) => child.onReply?.({ id, kind: 'progress', rows }),
    earned: (ms: number) => child.onReply?.({ id, kind: 'earned', ms }),
  };
}

test('a request beyond its time is ended, and the verdict says so', async () => {
  const { outcome, isAlive } = request();
  vi.advanceTimersByTime(999);
  expect(isAlive()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(await outcome).toMatchObject({ name: 'BadInput', verdict: 'timeout' });
});

test('rows that are made earn time, those that are gone through again none', async () => {
  const { outcome, isAlive, made } = request();
  vi.advanceTimersByTime(900);
  made(10_000);
  made(0);
  made(10_000);
  const earned = 2 * 10_000 * childLimits.msPerRow;
  vi.advanceTimersByTime(99 + earned);
  expect(isAlive()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(await outcome).toMatchObject({ verdict: 'timeout' });
});

test('work that is done earns time, but no more than a request may take in all', async () => {
  const { outcome, isAlive, earned } = request(5_000);
  for (let at = 0; at < 10; at += 1) earned(60_000);
  vi.advanceTimersByTime(4_999);
  expect(isAlive()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(await outcome).toMatchObject({ name: 'BadInput', verdict: 'timeout' });
});

test.each([
  ['JavaScript heap out of memory', 'too_large'],
  ['Out of Memory Error: could not allocate: memory limit', 'too_large'],
  ['something else', 'crashed'],
])('a child that ends with %j on its last line: %s', async (stderr, verdict) => {
  const { outcome, end } = request();
  end({ code: 134, stderr });
  expect(await outcome).toMatchObject({ name: 'BadInput', verdict });
});

test('a large file has more time than a small one, and many files the time of their opening', async () => {
  expect(requestMs(0, 60)).toBe(60_000);
  expect(requestMs(50 * 1024 * 1024, 60)).toBe(60_000 + childLimits.secondsPer50MiB * 1_000);
  const dir = await mkdtemp(join(tmpdir(), 'portolan-limits-'));
  try {
    for (const name of ['a', 'b']) await writeFile(join(dir, `${name}.csv`), 'x\n1\n');
    await writeFile(join(dir, 'c.csv'), Buffer.alloc(1024 * 1024));
    const [one, all] = [await sourceBytes(join(dir, 'a.csv')), await sourceBytes(join(dir, '*.csv'))];
    expect(one).toBeGreaterThan(100_000);
    expect(all).toBe(2 * one + 1024 * 1024);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
