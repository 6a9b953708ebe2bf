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
  await expect.poll(async () => (await findSchedule(world.place, name)).overlapped).toBeGreaterThan(overlapped + 4);
  await world.control.release(fault.id);
  expect(await backfill).toMatchObject({ code: 0, err: expect.stringMatching(/2 of 2 over\n$/) });
  await world.portolan(['schedule', 'delete', name, '--yes']);
});

test('a backfill whose wait is interrupted, or fails, says all the same what it has begun', async () => {
  const name = 'cut-backfill';
  const file = await world.write(
    `pipelines/${name}.yaml`,
    `name: ${name}\nconnection: local\nschedule: { cron: "30 2 * * *", timezone: UTC }\nsteps:\n  list: { use: api.call, with: { operation: maps.projects.list, input: {} } }\n`,
  );
  expect(await world.portolan(['schedule', 'apply', file, '--yes'])).toMatchObject({ code: 0 });
  const backfill = async (day: string, end: (interrupt: AbortController) => Promise<unknown>) => {
    const fault = await world.control.fault('maps.projects.list', 1, { hold: 'before' });
    const interrupt = new AbortController();
    const argv = ['schedule', 'backfill', name, '--from', day, '--to', `${day}T12:00`, '--yes', '--wait', '--json'];
    const said = world.portolan(argv, { signal: interrupt.signal });
    expect(await world.control.held(fault.id)).toBe(true);
    await end(interrupt);
    const { code, out } = await said;
    await world.control.release(fault.id);
    return {
      code,
      documents: out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    };
  };
  const year = new Date().getFullYear() + 1;
  expect(await world.portolan(['schedule', 'backfill', name, '--from', '2026-03-01', '--to', `${year}-01-03`])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/still to come, from .*\n.*take a --to that is over/),
  });
  const steered = (day: string) => ({ did: 'backfill', done: true, due: [{ scheduledAt: `${day}T02:30:00.000Z` }] });
  expect(await backfill('2026-03-01', async (interrupt) => interrupt.abort())).toMatchObject({
    code: 130,
    documents: [steered('2026-03-01'), { type: 'error', message: 'interrupted: the runs go on without this command', exit: 130 }],
  });
  expect(await backfill('2026-03-02', () => world.portolan(['schedule', 'delete', name, '--yes']))).toMatchObject({
    code: 2,
    documents: [steered('2026-03-02'), { type: 'error' }],
  });
});
