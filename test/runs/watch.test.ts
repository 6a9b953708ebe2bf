import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { toFailure } from '../../activities/frame/failure.ts';
import { Throttled } from '../../client/errors.ts';
import type { FailureDetails } from '../../errors/failure-details.ts';
import { watchRun } from '../../runs/watch.ts';
import { limitingNow } from '../../runs/limiting.ts';
import type { RunSnapshot } from '../../runs/view.ts';
import { at, snapshotOf, start } from './support.ts';

const place = { client: {} as Client, storeRoot: '' };
const location = { run: 'r', workflowId: 'w', store: '' };

test('yields changes only, and ends with the final view', async () => {
  const looks = [
    snapshotOf({}),
    snapshotOf({}),
    snapshotOf({ state: 'paused' }),
    snapshotOf({ state: 'failed' }),
    snapshotOf({ state: 'failed' }, [], at(9)),
  ];
  let look = 0;
  const seen = [];
  for await (const { view, source } of watchRun(place, location, { minMs: 1, maxMs: 1, read: async () => looks[look++]! }))
    seen.push([view.state, source]);
  // A failed run whose calls in flight have not ended yet is not over.
  expect(seen).toEqual([
    ['running', 'worker'],
    ['paused', 'worker'],
    ['failed', 'worker'],
    ['failed', 'result'],
  ]);
  expect(look).toBe(looks.length);
});

test('ends when interrupted, without waiting for the next look', async () => {
  const interrupt = new AbortController();
  const seen = [];
  for await (const { view } of watchRun(place, location, {
    signal: interrupt.signal,
    minMs: 3_600_000,
    read: async () => snapshotOf({}),
  })) {
    seen.push(view.state);
    interrupt.abort();
  }
  expect(seen).toEqual(['running']);
});

const away = (code: number): Error => Object.assign(new Error('14 UNAVAILABLE'), { code, details: 'gone', metadata: {} });

test('a Temporal server that does not answer ends nothing: the last steps stay, and the run is looked at again', async () => {
  const looks: (RunSnapshot | Error)[] = [
    snapshotOf({}),
    away(14),
    away(4),
    snapshotOf({ state: 'paused' }),
    snapshotOf({ state: 'done' }, [], at(9)),
  ];
  let look = 0;
  const read = async (): Promise<RunSnapshot> => {
    const found = looks[look++]!;
    if (found instanceof Error) throw found;
    return found;
  };
  const seen = [];
  for await (const snapshot of watchRun(place, location, { minMs: 1, maxMs: 1, read }))
    seen.push([
      snapshot.view.state,
      snapshot.source,
      limitingNow(snapshot, start)
        .map(({ cause }) => cause)
        .join(),
    ]);
  expect(seen).toEqual([
    ['running', 'worker', ''],
    ['running', 'unreachable', 'temporal'],
    ['paused', 'worker', 'paused'],
    ['done', 'result', ''],
  ]);
});

test('an error that says something about the run is thrown', async () => {
  const read = async (): Promise<RunSnapshot> => {
    throw away(5);
  };
  await expect(watchRun(place, location, { read }).next()).rejects.toThrow('UNAVAILABLE');

  // Also where the run was seen before: what is gone is no outage.
  const looks: (RunSnapshot | Error)[] = [snapshotOf({}), away(5), snapshotOf({ state: 'done' }, [], at(9))];
  const later = watchRun(place, location, {
    minMs: 1,
    maxMs: 1,
    read: async () => {
      const found = looks.shift()!;
      if (found instanceof Error) throw found;
      return found;
    },
  });
  expect(await later.next()).toMatchObject({ done: false });
  await expect(later.next()).rejects.toThrow('UNAVAILABLE');
});

test.each([
  [false, '(503 without Retry-After)'],
  [true, '(503, Retry-After)'],
])('a closed class says Retry-After only where the service gave one: %s', (asked, says) => {
  const { type, message, details } = toFailure(
    new Throttled({ operation: 'maps.user.get', requestId: 'r', limit: 'maps/read', waitMs: 1_000, sent: true, status: 503, asked }),
  );
  const lastFailure = { type: type!, message, ...(details![0] as FailureDetails) };
  const waiting = { id: 'a', step: 'a', type: 't', attempt: 1, waiting: true, nextAt: at(1_000), lastFailure };
  expect(limitingNow(snapshotOf({}, [waiting]), start)).toMatchObject([{ cause: 'limit', text: expect.stringContaining(says) }]);
});

test('limits: one line per class with the latest end, attempts kept apart from waits', () => {
  const waiting = (id: string, ms: number, limit: string) => ({
    id,
    step: id,
    type: 't',
    attempt: 3,
    waiting: true,
    nextAt: at(ms),
    lastFailure: { type: 'RateLimited', message: '', limit, status: 429 },
  });
  const retried = {
    id: 'map/main',
    step: 'map',
    type: 't',
    attempt: 4,
    waiting: true,
    nextAt: at(2_000),
    lastFailure: { type: 'NetworkError', message: 'cannot be reached' },
  };
  const lost = { ...retried, lastFailure: { type: 'TimeoutFailure', message: 'activity Heartbeat timeout' } };
  expect(
    limitingNow(
      snapshotOf({}, [waiting('a', 1_000, 'maps/tag'), waiting('b', 5_000, 'maps/tag'), waiting('c', 500, 'maps/read'), retried]),
      start,
    ).map(({ text }) => text),
  ).toMatchInlineSnapshot(`
    [
      "closed 5.0 s by maps/tag (429, Retry-After), 2 calls waiting, no attempt used",
      "closed 0.5 s by maps/read (429, Retry-After), 1 call waiting, no attempt used",
      "map/main is tried again (attempt 4, in 2.0 s): cannot be reached",
    ]
  `);
  expect(limitingNow(snapshotOf({}, [lost]), start).map(({ cause }) => cause)).toEqual(['worker']);
  expect(limitingNow(snapshotOf({}), start)).toEqual([]);
});
