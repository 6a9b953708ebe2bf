import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Child } from '../../child/host/child-process.ts';
import { createPool, type PoolOptions } from '../../child/host/pool.ts';

/** A child that lives in memory: it ends one turn after it is asked to. */
function createFake(pid: number): Child {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let alive = true;
  return {
    pid,
    get alive() {
      return alive;
    },
    send: () => undefined,
    onReply: undefined,
    onEnd: undefined,
    hold: () => undefined,
    residentBytes: () => undefined,
    kill() {
      alive = false;
      setImmediate(resolve);
    },
    ended,
  };
}

function createRig(options: Partial<PoolOptions> = {}) {
  const made: Child[] = [];
  const running = new Set<Child>();
  let most = 0;
  let living = 0;
  const pool = createPool({
    size: 2,
    idleMs: 60_000,
    async start() {
      await new Promise((resolve) => setImmediate(resolve));
      const child = createFake(made.length + 1);
      made.push(child);
      living += 1;
      most = Math.max(most, living);
      void child.ended.then(() => (living -= 1));
      return child;
    },
    keep: () => true,
    ...options,
  });
  return {
    pool,
    made,
    get most() {
      return most;
    },
    /** A request that holds its child until `done` is called. */
    hold() {
      const begun = Promise.withResolvers<Child>();
      const { promise: over, resolve: done } = Promise.withResolvers<void>();
      const ended = pool.run(async (child) => {
        expect(running.has(child), 'one request at a time').toBe(false);
        running.add(child);
        begun.resolve(child);
        await over;
        running.delete(child);
      });
      ended.catch(begun.reject);
      begun.promise.catch(() => undefined);
      return { begun: begun.promise, done, ended };
    },
  };
}

test('a long request makes nobody wait while a child is free or may be started', async () => {
  const rig = createRig();
  const long = rig.hold();
  await long.begun;
  for (let round = 0; round < 3; round += 1) expect(await rig.pool.run(async ({ pid }) => pid)).toBe(2);
  long.done();
  await long.ended;
  expect(rig.made).toHaveLength(2);
});

test('who waits is served in order', async () => {
  const rig = createRig({ size: 1 });
  const first = rig.hold();
  await first.begun;
  const order: number[] = [];
  const waiting = [1, 2, 3].map((place) => rig.pool.run(async () => void order.push(place)));
  first.done();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3]);
});

test('a child is replaced after its requests; a slot is free only when the process is gone', async () => {
  const rig = createRig({ size: 1, keep: (_child, served) => served < 2 });
  const served: number[] = [];
  for (let round = 0; round < 5; round += 1) await rig.pool.run(async ({ pid }) => void served.push(pid));
  expect(served).toEqual([1, 1, 2, 2, 3]);
  expect(rig.most).toBe(1);
});

test('a killed child costs its neighbour nothing', async () => {
  const rig = createRig();
  const [neighbour, victim] = [rig.hold(), rig.hold()];
  await neighbour.begun;
  (await victim.begun).kill();
  victim.done();
  await victim.ended;
  expect(await rig.pool.run(async ({ pid }) => pid)).toBe(3);
  expect((await neighbour.begun).alive).toBe(true);
  neighbour.done();
  await neighbour.ended;
});

test('an idle child is ended after its time', async () => {
  const rig = createRig({ idleMs: 1 });
  await rig.pool.run(async () => undefined);
  await rig.made[0]!.ended;
  expect(await rig.pool.run(async ({ pid }) => pid)).toBe(2);
});

test('a waiting request that is aborted leaves at once, and the next one has its turn', async () => {
  const rig = createRig({ size: 1 });
  const first = rig.hold();
  await first.begun;
  const controller = new AbortController();
  const aborted = rig.pool.run(async () => 'served', controller.signal);
  const next = rig.pool.run(async () => 'served');
  controller.abort(new Error('not needed'));
  await expect(aborted).rejects.toThrow('not needed');
  first.done();
  expect(await next).toBe('served');
});

test('a start that fails is a failure of its caller, and the next one tries again', async () => {
  let starts = 0;
  const rig = createRig({
    size: 1,
    start: async () => {
      starts += 1;
      if (starts === 1) throw new Error('no process');
      return createFake(starts);
    },
  });
  const [refused, served] = await Promise.allSettled([rig.pool.run(async () => 1), rig.pool.run(async () => 2)]);
  expect(refused).toMatchObject({ reason: { message: 'no process' } });
  expect(served).toMatchObject({ value: 2 });
});

test('close refuses who waits and leaves no child', async () => {
  const rig = createRig({ size: 1 });
  const first = rig.hold();
  await first.begun;
  const waiting = rig.pool.run(async () => undefined);
  const closing = rig.pool.close();
  await expect(waiting).rejects.toThrow('closed');
  await closing;
  expect(rig.made.every(({ alive }) => !alive)).toBe(true);
  await expect(rig.pool.run(async () => undefined)).rejects.toThrow('closed');
  first.done();
});

test('whatever happens, everybody is answered and no more children live than allowed', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.constantFrom('serve', 'die', 'fail', 'abort'), { maxLength: 20 }),
      async (size, acts) => {
        const rig = createRig({ size, keep: (_child, served) => served < 3 });
        const all = acts.map((act) => {
          const controller = new AbortController();
          const result = rig.pool.run(async (child) => {
            await new Promise((resolve) => setImmediate(resolve));
            if (act === 'die') child.kill();
            if (act === 'fail') throw new Error('failed');
            return act;
          }, controller.signal);
          if (act === 'abort') controller.abort(new Error('aborted'));
          return result.catch((error: Error) => error.message);
        });
        const answers = await Promise.all(all);
        expect(answers).toEqual(acts.map((act) => ({ serve: 'serve', die: 'die', fail: 'failed', abort: 'aborted' })[act]));
        expect(rig.most).toBeLessThanOrEqual(size);
        await rig.pool.close();
        expect(rig.made.every(({ alive }) => !alive)).toBe(true);
      },
    ),
    { numRuns: 200 },
  ));
