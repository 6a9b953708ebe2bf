import { expect, test } from 'vitest';
import { findSchedule } from '../../runs/schedule/read.ts';
import { useWorld } from './support.ts';

const world = useWorld();

test('a backfill that waits for a run to end is not over because times of the schedule are left out meanwhile', async () => {
  const name = 'kept-backfill';
  const file = await world.write(
    `pipelines/${name}.yaml`,
    `name: ${name}\nconnection: local\nschedule: { every: 1s, overlap: skip }\nsteps:\n  list: { use: api.call, with: { operation: maps.projects.list, input: {} } }\n`,
  );
  const fault = await world.control.fault('maps.projects.list', 1, { hold: 'before' });
  expect(await world.portolan(['schedule', 'apply', file, '--yes'])).toMatchObject({ code: 0 });
  expect(await world.control.held(fault.id)).toBe(true);
  const { overlapped } = await findSchedule(world.place, name);
  const backfill = world.portolan([
    ...['schedule', 'backfill', name, '--from', '2026-03-01T00:00:00Z', '--to', '2026-03-01T00:00:02Z', '--yes', '--wait'],
  ]);
  // More than the runs that were asked for, and the command has looked since.
  await expect.poll(async () => (await findSchedule(world.place, name)).overlapped, { timeout: 120_000 }).toBeGreaterThan(overlapped + 4);
  await world.control.release(fault.id);
  expect(await backfill).toMatchObject({ code: 0, err: expect.stringMatching(/2 of 2 over\n$/) });
  await world.portolan(['schedule', 'delete', name, '--yes']);
});
