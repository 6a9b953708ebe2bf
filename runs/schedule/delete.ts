import { setTimeout as pause } from 'node:timers/promises';
import type { RunPlace } from '../find.ts';
import { readSchedule, scheduleHandle, type ScheduleState } from './read.ts';
import { informWatch } from './inform-watch.ts';

/** So often it is looked whether it is gone. */
const lookEachMs = 100;

/** Deletes a schedule; its runs stay. Its watch is told first: where that fails the schedule is there still, and the same command does both. */
export async function deleteSchedule(place: RunPlace, { name, input }: Pick<ScheduleState, 'name' | 'input'>): Promise<void> {
  await informWatch(place, { name, ...input }, 'gone');
  await scheduleHandle(place, name).delete();
  // Gone is what the next command no longer finds.
  while (await readSchedule(place, name)) await pause(lookEachMs);
}
