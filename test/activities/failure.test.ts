import { expect, test } from 'vitest';
import { toFailure } from '../../activities/frame/failure.ts';
import { ApiError, Throttled } from '../../client/errors.ts';
import { Wait } from '../../client/wait.ts';
import { BadInput, DamagedFile, Unavailable } from '../../errors/classes.ts';

const call = { operation: 'maps.projects.get', requestId: 'r-1' };
const refusal = { ...call, status: 403, body: '{}', detail: 'no', retryable: false };

test('a wait is as long as was asked, never none, and no failure', () => {
  for (const error of [
    new Throttled({ ...call, limit: 'maps/read', waitMs: 90_000, sent: true, status: 429 }),
    new Wait('waits', 90_000),
  ]) {
    const failure = toFailure(error);
    expect(failure).toMatchObject({ type: 'RateLimited', nonRetryable: false, category: 'BENIGN' });
    expect(failure.nextRetryDelay).toBeGreaterThanOrEqual(90_000);
  }
  expect(toFailure(new Wait('waits', 0)).nextRetryDelay).toBeGreaterThanOrEqual(1_000);
});

test('what may succeed later is tried again, a refusal fails once', () => {
  expect(toFailure(new ApiError({ ...refusal, status: 500, retryable: true })).nonRetryable).toBe(false);
  expect(toFailure(new ApiError(refusal)).nonRetryable).toBe(true);
  expect(toFailure(new BadInput('bad_input', 'x')).nonRetryable).toBe(true);
  expect(toFailure('text').nonRetryable).toBe(true);
});

test('a refusal keeps the remedy of its own, else has that of its status', () => {
  expect(toFailure(new ApiError({ ...refusal, remedy: 'free a slot' })).details?.[0]).toMatchObject({ remedy: 'free a slot' });
  expect(toFailure(new ApiError(refusal)).details?.[0]).toMatchObject({
    ...call,
    status: 403,
    remedy: expect.stringContaining('right role'),
  });
});

test('a damaged file has the remedy of its kind: a new run mends no mark', () => {
  const { details, nonRetryable } = toFailure(new DamagedFile('/runs/marks/a/00000001.json', 'cut off', 'take it away'));
  expect([nonRetryable, details]).toEqual([true, [{ remedy: 'put it back from a copy of the run store; without one, take it away' }]]);
});

test('a shortage of this host is waited for', () => {
  for (const error of [new Unavailable('store', 'gone'), Object.assign(new Error('write'), { code: 'ENOSPC' })])
    expect(toFailure(error)).toMatchObject({ type: 'Unavailable', nonRetryable: false, category: 'BENIGN', nextRetryDelay: 1_500 });
});

test('a failure stays small: the server keeps 4 KiB of it', () => {
  expect(toFailure(new Error('x'.repeat(100_000))).message.length).toBeLessThanOrEqual(1_500);
});
