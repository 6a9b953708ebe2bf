import { expect, test } from 'vitest';
import { otherCauses } from '../../runs/causes.ts';
import type { RunEvent } from '../../store/run-store.ts';

test('causes other than waits are summed by kind, cause and step, whatever times their words name; most often first', () => {
  const event = (kind: RunEvent['kind'], cause: string, more: Partial<RunEvent> = {}): RunEvent => ({
    at: '2026-11-21T12:00:00.000Z',
    step: 'rows',
    kind,
    cause,
    ...more,
  });
  expect(
    otherCauses([
      event('note', 'seen once'),
      event('retry', 'again in 2 s', { request_id: 'first' }),
      event('wait', 'a limit'),
      event('chunk', 'done'),
      event('calls', 'left'),
      event('alert', 'not sent'),
      event('retry', 'again in 3.5 s', { request_id: 'last' }),
      event('retry', 'again in 4 s'),
      event('retry', 'again in 4 s', { step: 'tag' }),
      event('failure', 'again in 4 s'),
    ]),
  ).toEqual([
    { kind: 'retry', cause: 'again in …', step: 'rows', times: 3, requestId: 'last' },
    { kind: 'note', cause: 'seen once', step: 'rows', times: 1 },
    { kind: 'retry', cause: 'again in …', step: 'tag', times: 1 },
    { kind: 'failure', cause: 'again in …', step: 'rows', times: 1 },
  ]);
});
