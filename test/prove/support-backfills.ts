import { schedule as scheduleOf } from '../../pipelines/file/schedule.ts';
import { previewSchedule } from '../../runs/schedule/preview.ts';
import { nextClockChange } from '../../text/zone.ts';
import type { World } from '../support/world.ts';
import { line, type Line } from './proof.ts';
import { cronOf, dueBy, isoOf, placeOf, zones, type CronLine } from './support-clocks.ts';
import { apply, command, difference, documents, firedOf } from './support-schedules.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Three times a night, around the hour that changes. */
const nights: CronLine = { minutes: [30], hours: [1, 2, 3] };

/** What became of the windows that were made up for across one change; `gaps`: how many do not begin where the one before ends. */
type Backfilled = { title: string; due: number; lost: number; besides: number; doubled: number; gaps: number };

/** So many hours before a change a span of an hourly schedule begins, and so many behind it ends. */
const hoursAround = 4;

/** The last two changes of each zone, made up for by hand: nightly runs by the clock, and hourly ones whose windows are to meet. */
async function backfills(world: World): Promise<{ byClock: Backfilled[]; hourly: Backfilled[] }> {
  const [byClock, hourly]: [Backfilled[], Backfilled[]] = [[], []];
  for (const zone of zones) {
    const place = placeOf(zone);
    const [clock, hours] = [`${place}-clock`, `${place}-hours`];
    await apply(
      world,
      { name: clock, schedule: `{ cron: "${cronOf(nights)}", timezone: ${zone}, overlap: allowAll, window: day }` },
      // The one zone whose hours are cut by half when clocks change has windows that meet in UTC alone.
      {
        name: hours,
        schedule: `{ every: 1h, timezone: ${zone === 'Australia/Lord_Howe' ? 'UTC' : zone}, overlap: allowAll, window: hour }`,
      },
    );
    const schedule = scheduleOf.parse({ cron: cronOf(nights), timezone: zone });
    const first = nextClockChange(zone, Date.now() - 366 * dayMs)!;
    for (const { at } of [first, nextClockChange(zone, first.at)!]) {
      const { clocks } = await previewSchedule(world.client, schedule, at - 2 * dayMs);
      byClock.push(await backfill(world, clock, at - dayMs, at + dayMs, dueBy(zone, nights, clocks, at - dayMs, at + dayMs)));
      const from = at - hoursAround * hourMs;
      const full = Array.from({ length: 2 * hoursAround }, (_, index) => Math.ceil(from / hourMs) * hourMs + index * hourMs);
      hourly.push(await backfill(world, hours, from, from + 2 * hoursAround * hourMs, full));
    }
    await command(world, 'delete', clock, hours, '--yes');
  }
  return { byClock, hourly };
}

/** Makes up for the times from one instant to another, and counts the runs of each. */
async function backfill(world: World, name: string, from: number, to: number, due: readonly number[]): Promise<Backfilled> {
  const span = ['--from', isoOf(from), '--to', isoOf(to)];
  const [shown] = await documents<'steered'>(world, 'backfill', name, ...span);
  await command(world, 'backfill', name, ...span, '--overlap', 'allowAll', '--yes', '--wait');
  const ran = (await firedOf(world, [name])).filter(({ at }) => at >= from && at < to);
  const { lost, besides, doubled } = difference(
    due,
    ran.map(({ at }) => at),
  );
  const windows = shown!.due!.map(({ window }) => window!);
  return {
    title: `${name} ${isoOf(from)}`,
    due: due.length,
    lost: lost.length,
    besides: besides.length,
    doubled: doubled.length,
    gaps: windows.slice(1).filter(({ from: start }, index) => start !== windows[index]!.to).length,
  };
}

/** The same time made up for twice. */
async function backfillTwice(world: World): Promise<Backfilled> {
  const name = 'made-up-for-twice';
  await apply(world, { name, schedule: '{ every: 1d, window: day }' });
  const at = Math.floor(Date.now() / dayMs) * dayMs;
  await backfill(world, name, at, at + 1_000, [at]);
  const again = await backfill(world, name, at, at + 1_000, [at]);
  await command(world, 'delete', name, '--yes');
  return again;
}

/** What is made up for by hand across changes of the clocks. */
export async function backfillLines(world: World): Promise<Line[]> {
  const { byClock, hourly } = await backfills(world);
  const made = [...byClock, ...hourly];
  const wrong = made.filter(({ lost, besides, doubled }) => lost + besides + doubled > 0);
  const sum = (what: 'due' | 'lost' | 'besides' | 'doubled'): number => made.reduce((all, each) => all + each[what], 0);
  const apart = hourly.filter(({ gaps }) => gaps > 0);
  const again = await backfillTwice(world);
  return [
    line(
      `${made.length} backfills across a change, ${sum('due')} windows: lost, besides, doubled`,
      `${sum('lost')}, ${sum('besides')}, ${sum('doubled')}${wrong.map(({ title }) => `; ${title}`).join('')}`,
      '0, 0, 0',
      wrong.length === 0,
    ),
    line(
      `${hourly.length} of them by the hour: with windows that do not meet`,
      `${apart.length}${apart.map(({ title }) => `; ${title}`).join('')}`,
      '0',
      apart.length === 0,
    ),
    line('control, one window made up for twice: doubled', again.doubled, '1', again.doubled === 1),
  ];
}
