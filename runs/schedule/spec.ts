import { ScheduleOverlapPolicy, type ScheduleOptions, type ScheduleSpec } from '@temporalio/client';
import type { Schedule } from '../../pipelines/file/schedule.ts';
import { milliseconds } from '../../text/duration.ts';

/** What Temporal calls the words of `overlap:`. */
export const overlapPolicies = {
  skip: ScheduleOverlapPolicy.SKIP,
  bufferOne: ScheduleOverlapPolicy.BUFFER_ONE,
  bufferAll: ScheduleOverlapPolicy.BUFFER_ALL,
  cancelOther: ScheduleOverlapPolicy.CANCEL_OTHER,
  allowAll: ScheduleOverlapPolicy.ALLOW_ALL,
} as const satisfies Readonly<Record<Schedule['overlap'], ScheduleOverlapPolicy>>;

/** When runs are due, as Temporal has it, without `jitter`. */
export const dueSpec = ({ cron, every, offset, timezone }: Schedule): ScheduleSpec => ({
  ...(cron === undefined ? {} : { cronExpressions: [cron] }),
  ...(every === undefined
    ? {}
    : { intervals: [{ every: milliseconds(every), ...(offset === undefined ? {} : { offset: milliseconds(offset) }) }] }),
  timezone,
});

/** When runs start and what becomes of those that cannot: everything of a schedule but what it starts. */
export const settingsOf = (schedule: Schedule): Required<Pick<ScheduleOptions, 'spec' | 'policies'>> => ({
  spec: { ...dueSpec(schedule), ...(schedule.jitter === undefined ? {} : { jitter: milliseconds(schedule.jitter) }) },
  policies: {
    overlap: overlapPolicies[schedule.overlap],
    catchupWindow: milliseconds(schedule.catchUp),
    pauseOnFailure: schedule.pauseOnFailure,
  },
});
