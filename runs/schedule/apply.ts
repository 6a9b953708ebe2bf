import type { ScheduleOptionsAction } from '@temporalio/client';
import type { Plan } from '../../pipelines/plan.ts';
import type { RunStart } from '../../pipelines/run-start.ts';
import { workflowType } from '../../workflows/messages.ts';
import type { RunPlace } from '../find.ts';
import { runInput, startSettings } from '../start.ts';
import { scheduleId } from './id.ts';
import { scheduleHandle, type ScheduleMemo, type ScheduleState } from './read.ts';
import { settingsOf } from './spec.ts';
import { informWatch, watchOf } from './inform-watch.ts';

/** What a schedule is to be. */
export type Applied = { name: string; plan: Plan; start: RunStart; memo: ScheduleMemo };

/**
 * Gives a schedule to the server: a new one, or the one that is there with what it starts from now on. Whether it is paused stays, and
 * runs that go on are those of before.
 */
export async function applySchedule(
  { client, storeRoot }: RunPlace,
  { name, plan, start, memo }: Applied,
  there?: ScheduleState,
): Promise<void> {
  const id = scheduleId(storeRoot, name);
  const action: ScheduleOptionsAction = {
    type: 'startWorkflow',
    workflowType,
    ...startSettings(start.store),
    // The server puts the time behind it.
    workflowId: id,
    args: [runInput(plan, start)],
    memo: { ...memo },
    staticSummary: `${plan.pipeline} · schedule ${name}`,
  };
  const settings = settingsOf(memo.schedule);
  const now = { name, plan, start };
  const before = there && { name, ...there.input };
  // Told first: once it is written nobody knows any more which watch it was.
  if (before && watchOf(before) !== watchOf(now)) await informWatch({ client, storeRoot }, before, 'gone');
  // As it is when it is written: somebody may have paused it since it was looked at.
  let paused = false;
  if (there)
    await scheduleHandle({ client, storeRoot }, name).update(({ state }) => {
      ({ paused } = state);
      return { ...settings, action, state };
    });
  else await client.schedule.create({ scheduleId: id, ...settings, action });
  await informWatch({ client, storeRoot }, now, paused ? 'paused' : 'due');
}
