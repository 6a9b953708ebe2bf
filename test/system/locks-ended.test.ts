import { expect, test, vi } from 'vitest';
import { lockIdOf, lockSettings, lockWorkflow, releaseSignal, type Holder, type LockInput } from '../../pipelines/lock.ts';
import { newSlug, type HistoryEvent } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

/** Longest time that a key may be held by a run that has ended, in milliseconds. */
const longestMs = 10_000;
/** So long after the end of a run that was terminated nothing of it is sent any more. */
const silentMs = 4_000;
/** As many as a worker does at a time. */
const activitiesAtOnce = 40;

/** A run that holds its key until somebody approves. */
const gated = (when: string): string => `
name: ended
params: { key: { type: slug } }
steps: { ask: { use: gate.approve, with: { expires: 1h } } }
concurrency: { key: "\${{ params.key }}", when: ${when} }
`;
const busy = `
name: busy
steps:
  each:
    forEach: { items: [${Array.from({ length: activitiesAtOnce }, (_, index) => index).join(', ')}], as: n, parallel: ${activitiesAtOnce} }
    steps: { call: { use: api.call, with: { operation: maps.user.profile, input: {} } } }
`;

const begin = async (key: string, state: 'approval' | 'queued'): Promise<string> => {
  const run = await world.start(gated('queue'), { key });
  await world.until(run, ({ view }) => view.state === state);
  return run;
};
const terminate = async (run: string): Promise<number> => {
  const handle = world.client.workflow.getHandle(run);
  await handle.terminate();
  return (await handle.describe()).closeTime!.getTime();
};
const approve = async (run: string): Promise<void> => {
  await world.until(run, ({ view }) => view.state === 'approval');
  await world.portolan(['approve', run, 'ask', '--note', 'go on']);
  expect((await world.ended(run)).view.state).toBe('done');
};
const lockOf = (key: string) => world.client.workflow.getHandle(lockIdOf(world.taskQueue, key));
const eventsOf = async (key: string): Promise<HistoryEvent[]> => (await lockOf(key).fetchHistory()).events ?? [];
const timersOf = async (key: string) => (await eventsOf(key)).flatMap((event) => event.timerStartedEventAttributes ?? []);
/** Since when the run has the key that it waits for, by the clock of the server. */
const heldSince = (key: string, run: string): Promise<number> =>
  vi.waitFor(async () => {
    const holder = (await lockOf(key).describe()).memo!['holder'] as Holder;
    expect(holder.run).toBe(run);
    return Date.parse(holder.since);
  }, 300_000);

test('the key of a run that was terminated goes to the next when nothing of it can be sent any more, within 10 s', async () => {
  const key = newSlug('terminated');
  const longAgo = newSlug('long-ago');
  await terminate(await begin(longAgo, 'approval'));
  const holder = await begin(key, 'approval');
  const next = await begin(key, 'queued');
  const closed = await terminate(holder);
  const late = (await heldSince(key, next)) - closed;
  expect(late).toBeGreaterThanOrEqual(silentMs);
  expect(late).toBeLessThan(longestMs);
  await approve(next);
  // By now the other one was terminated longer ago: who asks waits for nothing.
  const run = await begin(longAgo, 'approval');
  expect(await timersOf(longAgo)).toEqual([]);
  await approve(run);
});

test('a run that would be refused waits so long too for the key of one that was terminated', async () => {
  const key = newSlug('no-wait');
  const closed = await terminate(await begin(key, 'approval'));
  const next = await world.start(gated('reject'), { key });
  expect((await heldSince(key, next)) - closed).toBeGreaterThanOrEqual(silentMs);
  await approve(next);
});

test('a run that gives its key back hands it over at once', async () => {
  const key = newSlug('given-back');
  const holder = await begin(key, 'approval');
  const next = await begin(key, 'queued');
  const { firstRunId } = await world.locate(holder);
  await world.client.workflow.signalWithStart(lockWorkflow, {
    ...lockSettings(world.taskQueue, key),
    args: [{ key }],
    signal: releaseSignal,
    signalArgs: [firstRunId],
  });
  await world.until(next, ({ view }) => view.state === 'approval');
  expect(await timersOf(key)).toEqual([]);
  await approve(next);
  await approve(holder);
});

test('the key of a run that ended by itself, and whose word was lost, goes to the next without a pause', async () => {
  const firstRunOf = async (run: string): Promise<string> => (await world.client.workflow.getHandle(run).describe()).runId;
  const done = await begin(newSlug('done'), 'approval');
  await approve(done);
  const key = newSlug('unheard');
  const before = await begin(key, 'approval');
  const waiting = await begin(key, 'queued');
  await lockOf(key).terminate();
  await terminate(before);
  // The lock as it is where the run that is done had the key, and nobody said that it has ended.
  const input: LockInput = {
    key,
    holder: { run: done, workflowId: done, firstRunId: await firstRunOf(done), who: 'tester', since: new Date().toISOString() },
    waiting: [{ run: waiting, workflowId: waiting, firstRunId: await firstRunOf(waiting), who: 'tester', when: 'queue' }],
  };
  await world.client.workflow.start(lockWorkflow, { ...lockSettings(world.taskQueue, key), args: [input] });
  await heldSince(key, waiting);
  expect(await timersOf(key)).toEqual([]);
  await approve(waiting);
});

test('a lock sees that its holder was terminated while the worker has all the work that it takes', async () => {
  const key = newSlug('busy');
  const holder = await begin(key, 'approval');
  const next = await begin(key, 'queued');
  const calls = await Promise.all(
    Array.from({ length: activitiesAtOnce }, (_, index) => world.control.fault('maps.user.profile', index + 1, { hold: 'before' })),
  );
  const filling = await world.start(busy);
  expect(await Promise.all(calls.map(({ id }) => world.control.held(id)))).toEqual(calls.map(() => true));
  const closed = await terminate(holder);
  expect((await heldSince(key, next)) - closed).toBeLessThan(longestMs);
  // So it was not seen by work that a worker takes.
  expect((await eventsOf(key)).filter((event) => event.activityTaskTimedOutEventAttributes)).not.toEqual([]);
  for (const { id } of calls) await world.control.release(id);
  expect((await world.ended(filling)).view.state).toBe('done');
  await approve(next);
});
