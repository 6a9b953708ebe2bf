import { expect, onTestFinished, test, vi } from 'vitest';
import { keepRunning } from '../../dev/kept.ts';
import type { Running } from '../../dev/kept.ts';
import type { Exit } from '../../dev/processes.ts';

type Fake = Running & { end(exit: Exit): void; stopped: boolean };

const crash: Exit = { code: null, signal: 'SIGKILL' };
const done: Exit = { code: 0, signal: null };

/** A stage on which processes are started, die and fail to start as a test says. */
const stage = () => {
  const started: Fake[] = [];
  const lines: string[] = [];
  const failures: string[] = [];
  const waits: number[] = [];
  let gate: Promise<void> | undefined;
  const waiting: { count: number; resolve: () => void }[] = [];
  const start = async (): Promise<Fake> => {
    await gate;
    const failure = failures.shift();
    if (failure !== undefined) throw new Error(failure);
    const { promise, resolve } = Promise.withResolvers<Exit>();
    const fake: Fake = {
      pid: started.length + 1,
      exited: promise,
      end: resolve,
      stopped: false,
      kill: async () => resolve(crash),
      stop: async () => {
        fake.stopped = true;
        resolve(done);
      },
    };
    return fake;
  };
  const onStart = (fake: Fake): void => {
    started.push(fake);
    for (const { count, resolve } of waiting) if (started.length >= count) resolve();
  };
  return {
    started,
    lines,
    failures,
    waits,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    untilStarted: (count: number): Promise<void> =>
      started.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    keep: () => keepRunning({ name: 'part', start, report: (line) => lines.push(line), onStart, wait: async (ms) => waits.push(ms) }),
  };
};

test('a process that dies is started again after 100 ms, and that is reported', async () => {
  const { keep, started, lines, waits, untilStarted } = stage();
  const kept = await keep();
  started[0]?.end(crash);
  await untilStarted(2);
  expect(waits).toEqual([100]);
  expect(kept.current()).toBe(started[1]);
  expect(lines[0]).toBe('part: ended (SIGKILL); starting it again');
  await kept.stop();
});

test('one that dies again and again is started ever later, and at once again after ten calm seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { keep, started, waits, untilStarted } = stage();
  const kept = await keep();
  const die = async (): Promise<void> => {
    const next = untilStarted(started.length + 1);
    started.at(-1)?.end(crash);
    await next;
  };
  for (let times = 0; times < 8; times++) await die();
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  vi.advanceTimersByTime(10_001);
  await die();
  expect(waits.at(-1)).toBe(100);
  await kept.stop();
});

test('a failed first start fails; a later one is reported once and tried again', async () => {
  const first = stage();
  first.failures.push('no bricks');
  await expect(first.keep()).rejects.toThrow('no bricks');

  const later = stage();
  const kept = await later.keep();
  later.failures.push('no bricks', 'no bricks');
  later.started[0]?.end(crash);
  await later.untilStarted(2);
  expect(later.lines.filter((line) => line.includes('no bricks'))).toHaveLength(1);
  await kept.stop();
});

test('a restart ends the old one in order before the new one starts, and no crash is reported', async () => {
  const { keep, started, lines, untilStarted } = stage();
  const kept = await keep();
  kept.restart('a step changed');
  await untilStarted(2);
  expect(started[0]?.stopped).toBe(true);
  expect(lines).toEqual(['part: starting anew, a step changed']);
  await kept.stop();
});

test('a restart asked for while a start is under way happens after it', async () => {
  const { keep, started, hold, untilStarted } = stage();
  const kept = await keep();
  const letGo = hold();
  kept.restart('one change');
  await started[0]?.exited;
  await new Promise(setImmediate);
  kept.restart('another change');
  letGo();
  await untilStarted(3);
  expect(started[1]?.stopped).toBe(true);
  kept.restart('a third change');
  await untilStarted(4);
  await kept.stop();
});

test('a stop ends the process and starts none, also while a start is under way', async () => {
  const calm = stage();
  const kept = await calm.keep();
  await kept.stop();
  expect(calm.started.map(({ stopped }) => stopped)).toEqual([true]);

  const busy = stage();
  const other = await busy.keep();
  const letGo = busy.hold();
  other.restart('a change');
  await busy.started[0]?.exited;
  await new Promise(setImmediate);
  const stopping = other.stop();
  letGo();
  await stopping;
  expect(busy.started.map(({ stopped }) => stopped)).toEqual([true, true]);
});
