import { expect, test } from 'vitest';
import { gapsIn } from '../../runs/schedule/gaps.ts';
import { readOverview } from '../../runs/schedule/overview.ts';
import { findSchedule, type ScheduleState } from '../../runs/schedule/read.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const day = 86_400_000;

/** A schedule that was applied and starts nothing. */
async function paused(name: string, schedule: string): Promise<ScheduleState> {
  const file = await world.write(
    `pipelines/${name}.yaml`,
    `name: ${name}\nconnection: local\nschedule: ${schedule}\nsteps:\n  list: { use: api.call, with: { operation: maps.projects.list, input: {} } }\n`,
  );
  expect(await world.portolan(['schedule', 'apply', file, '--yes'])).toMatchObject({ code: 0 });
  await world.portolan(['schedule', 'pause', name]);
  return findSchedule(world.place, name);
}

test.each([
  ['every five minutes', '{ every: 5m }', 3, 864],
  ['each minute of an hour of each day', '{ cron: "* 8 * * *", timezone: UTC }', 20, 1_000],
])('a gap is named also where it is days old: of a schedule that is due %s', async (_, schedule, days, least) => {
  const name = `old-gaps-${least}`;
  const state = await paused(name, schedule);
  const now = Date.now() + days * day;
  const { past } = await readOverview(world.place, state, now);
  const [gap, ...others] = gapsIn(past);
  expect(others).toEqual([]);
  expect(gap!.count).toBeGreaterThanOrEqual(least - 2);
  // The last times, up to now.
  expect(now - Date.parse(past.at(-1)!.scheduledAt)).toBeLessThan(day);
  await world.portolan(['schedule', 'delete', name, '--yes']);
});

test('the times that are shown are the last ones also where many stand close together, long ago', async () => {
  const name = 'bursts';
  const state = { ...(await paused(name, '{ cron: "* * 1 * *", timezone: UTC }')), createdAt: '2025-06-01T00:00:00.000Z' };
  const { past } = await readOverview(world.place, state, Date.UTC(2026, 2, 20));
  expect(past).toHaveLength(1_000);
  expect(past.at(-1)!.scheduledAt).toBe('2026-03-01T23:59:00.000Z');
  await world.portolan(['schedule', 'delete', name, '--yes']);
});
