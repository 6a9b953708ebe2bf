import { expect, test } from 'vitest';
import { asksLine } from '../../runs/asks.ts';
import { otherCauses } from '../../runs/causes.ts';
import type { RunEvent } from '../../store/run-store.ts';

test('what a gate asks is one line, without control characters, and cut after 300 of what it shows', () => {
  const asks = { approves: [{ step: 'rows', use: 'dataset.append', acts: ['deletes 3 rows', 'adds 2'] }] };
  expect(asksLine({ approves: [] })).toBe('lets the run go on');
  expect(asksLine({ approves: [{ step: 'drop', use: 'data.delete', acts: ['deletes 3 rows'] }] })).toBe('lets drop: deletes 3 rows');
  expect(asksLine({ ...asks, show: { rows: 3 } })).toBe('lets rows: deletes 3 rows; adds 2 · shows {"rows":3}');
  expect(asksLine({ approves: [{ step: 'one', use: 'own.step', acts: [] }], show: 'a\u001B[31mb' })).not.toContain('\u001B');
  expect(asksLine({ approves: [], show: 'x'.repeat(300) })).toBe(`lets the run go on · shows ${'x'.repeat(300)}`);
  expect(asksLine({ approves: [], show: 'x'.repeat(301) })).toBe(`lets the run go on · shows ${'x'.repeat(300)}…`);
});

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
