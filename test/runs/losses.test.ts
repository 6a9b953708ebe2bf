import { expect, test } from 'vitest';
import { lostAttempts, momentsOf } from '../../runs/losses.ts';

type Failure = { timeoutFailureInfo?: object; applicationFailureInfo?: object };

const begun = (continuedExecutionRunId?: string) => ({ workflowExecutionStartedEventAttributes: { continuedExecutionRunId } });
const scheduled = (eventId: number, activityId: string) => ({ eventId, activityTaskScheduledEventAttributes: { activityId } });
const started = (scheduledEventId: number, seconds: number, lastFailure?: Failure) => ({
  eventTime: { seconds },
  activityTaskStartedEventAttributes: { scheduledEventId, lastFailure },
});

const timeout = { timeoutFailureInfo: {} };
const histories: Record<string, object[]> = {
  r2: [begun('r1'), scheduled(5, 'rows/chunk/3'), started(5, 1_000, timeout), scheduled(6, 'map/main'), started(6, 1_000.4, timeout)],
  r1: [
    begun(),
    scheduled(5, 'rows/chunk/0'),
    started(5, 500, timeout),
    scheduled(7, 'rows/chunk/1'),
    started(7, 600, { applicationFailureInfo: {} }),
    scheduled(9, 'rows/chunk/2'),
    started(9, 700),
  ],
};
const client = {
  workflow: { getHandle: (_: string, runId: string) => ({ fetchHistory: async () => ({ events: histories[runId]! }) }) },
};
const losses = await lostAttempts({ client }, { workflowId: 'w', runId: 'r2' });

test('attempts that ended with their worker are those of all executions of a run, and no others', () => {
  expect(losses.map(({ activity }) => activity)).toEqual(['rows/chunk/0', 'rows/chunk/3', 'map/main']);
  expect(losses[0]).toEqual({ at: '1970-01-01T00:08:20.000Z', step: 'rows', activity: 'rows/chunk/0' });
});

test('what died together is one loss; those of a step are its own', () => {
  expect(momentsOf(losses)).toEqual([500_000, 1_000_000]);
  expect(momentsOf(losses, 'rows')).toEqual([500_000, 1_000_000]);
  expect(momentsOf(losses, 'map')).toEqual([1_000_400]);
  expect(momentsOf(losses, 'tag')).toEqual([]);
});
