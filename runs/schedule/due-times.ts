import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import type { Schedule } from '../../pipelines/file/schedule.ts';
import { dueSpec } from './spec.ts';

/** Times that a server works out at once: the first ones of a span. */
export const mostAtOnce = 1_000;

/** When a schedule is due, as the server works it out: instants after `from` and up to `to`, at most `mostAtOnce` of them. */
export type DueTimes = (from: number, to: number) => Promise<number[]>;

/**
 * Lets `act` ask the server when a schedule would be due. Asked is a schedule that starts nothing and is removed again: what a server
 * makes of a cron line when clocks change is its own.
 */
export async function withDueTimes<T>(client: Client, schedule: Schedule, act: (due: DueTimes) => Promise<T>): Promise<T> {
  const asked = await client.schedule.create({
    scheduleId: `portolan-preview/${randomUUID()}`,
    spec: dueSpec(schedule),
    action: { type: 'startWorkflow', workflowType: 'preview', taskQueue: 'preview' },
    // Without actions left it ends by itself, should nobody come to remove it.
    state: { remainingActions: 0 },
  });
  try {
    return await act(async (from, to) => {
      const { startTime } = await client.workflowService.listScheduleMatchingTimes({
        namespace: client.options.namespace,
        scheduleId: asked.scheduleId,
        startTime: msToTs(from),
        endTime: msToTs(to),
      });
      return startTime.map((time) => tsToMs(time));
    });
  } finally {
    await asked.delete();
  }
}
