import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { schedule as scheduleOf } from '../../pipelines/file/schedule.ts';
import { scheduleId } from '../../runs/schedule/id.ts';
import { previewSchedule, type ClockEffect, type SchedulePreview } from '../../runs/schedule/preview.ts';
import type { World } from '../support/world.ts';
import { changedTimes, clockOf, cronOf, dueBy, isoOf, placeOf, zones, type CronLine } from './support-clocks.ts';
import { line, type Line } from './proof.ts';
import { apply, command, difference, documents } from './support-schedules.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Each quarter of an hour, once in a night, and twice in one hour of it. */
const cronLines: Readonly<Record<string, CronLine>> = {
  quarters: { minutes: [0, 15, 30, 45] },
  nightly: { minutes: [30], hours: [1, 2] },
  'in-one-hour': { minutes: [15, 30], hours: [1, 2] },
};

/** What is found of one schedule around one change of the clocks. */
type Change = {
  title: string;
  /** Times that the server makes otherwise than the preview and the zone data say together. */
  unlike: number;
  /** The same without what the preview says. */
  unsaid: number;
  /** The same where the times of the line are counted without a zone. */
  zoneless: number;
  /** What the preview calls skipped or doubled otherwise than the zone data do. */
  misnamed: number;
  times: number;
};

/** When the server says that an applied schedule is due: instants from one to another. */
async function serverTimes({ client, place }: World, name: string, from: number, to: number): Promise<number[]> {
  const { startTime } = await client.workflowService.listScheduleMatchingTimes({
    namespace: client.options.namespace,
    scheduleId: scheduleId(place.storeRoot, name),
    startTime: msToTs(from - 1),
    endTime: msToTs(to - 1),
  });
  return startTime.map((time) => tsToMs(time));
}

const unlike = (some: readonly number[], others: readonly number[]): number => {
  const { lost, besides, doubled } = difference(some, others);
  return lost.length + besides.length + doubled.length;
};

/** Holds what a preview says of the changes of the clocks against the server and the zone data. */
async function judge(world: World, name: string, zone: string, cron: CronLine, clocks: readonly ClockEffect[]): Promise<Change[]> {
  const found: Change[] = [];
  for (const { at, byMinutes, skipped, twice } of clocks) {
    const [from, to] = [Date.parse(at) - dayMs, Date.parse(at) + dayMs];
    const server = await serverTimes(world, name, from, to);
    const data = changedTimes(zone, cron, from, to);
    const misnamed = [
      [skipped.map(clockOf), data.never],
      [twice.map(({ clock }) => clockOf(clock)), data.twice],
    ].filter(([said, is]) => said!.join() !== is!.join());
    found.push({
      title: `${name} ${at} ${byMinutes > 0 ? '+' : ''}${byMinutes} min`,
      unlike: unlike(dueBy(zone, cron, clocks, from, to), server),
      unsaid: unlike(dueBy(zone, cron, [], from, to), server),
      zoneless: unlike(dueBy('UTC', cron, [], from, to), server),
      misnamed: misnamed.length,
      times: server.length,
    });
  }
  return found;
}

/** What the command shows of the next changes, and of the next runs, for every line in every zone; and the same of later years. */
async function previews(world: World, years: number): Promise<{ changes: Change[]; next: number; unlikeNext: string[] }> {
  const changes: Change[] = [];
  const unlikeNext: string[] = [];
  let next = 0;
  for (const zone of zones)
    for (const [what, cron] of Object.entries(cronLines)) {
      const name = `${placeOf(zone)}-${what}`;
      const schedule = scheduleOf.parse({ cron: cronOf(cron), timezone: zone });
      const before = Date.now();
      const [applied] = await apply(world, { name, schedule: `{ cron: "${cronOf(cron)}", timezone: ${zone} }` });
      const [shown] = await documents<'schedule'>(world, 'show', name);
      const after = Date.now();
      for (const { clocks, next: times } of [applied!, shown!.preview!] as SchedulePreview[]) {
        changes.push(...(await judge(world, name, zone, cron, clocks)));
        const said = times.map(({ scheduledAt }) => scheduledAt);
        next += said.length;
        // A time that passed meanwhile was the first of the next ones, or was not.
        const right = [before, after].map((since) => [
          serverTimes(world, name, since + 1, since + 10 * dayMs),
          dueBy(zone, cron, clocks, since + 1, since + 10 * dayMs),
        ]);
        const texts = await Promise.all(right.flat().map(async (due) => (await due).slice(0, said.length).map(isoOf).join()));
        if (![0, 2].some((index) => texts[index] === said.join() && texts[index + 1] === said.join())) unlikeNext.push(name);
      }
      for (let year = 1; year <= years; year++) {
        const { clocks } = await previewSchedule(world.client, schedule, before + year * 365 * dayMs);
        changes.push(...(await judge(world, name, zone, cron, clocks)));
      }
      await command(world, 'delete', name, '--yes');
    }
  return { changes, next, unlikeNext };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Previews against the server and the zone data, this year's by the command and so many later ones. */
export async function previewLines(world: World, years: number): Promise<Line[]> {
  const { changes, next, unlikeNext } = await previews(world, years);
  const wrong = changes.filter((change) => change.unlike + change.misnamed > 0);
  const [unsaid, zoneless] = [sum(changes.map((change) => change.unsaid)), sum(changes.map((change) => change.zoneless))];
  return [
    line(
      `${changes.length} previews of a change of the clocks, ${sum(changes.map(({ times }) => times))} times around it: otherwise at the server or by the zone data`,
      `${sum(wrong.map((change) => change.unlike + change.misnamed))}${wrong.map(({ title }) => `; ${title}`).join('')}`,
      '0',
      wrong.length === 0,
    ),
    line(`${next} next runs: otherwise at the server or by the zone data`, unlikeNext.length, '0', unlikeNext.length === 0),
    line('control, the same without what the preview says of the changes: times otherwise', unsaid, '> 0', unsaid > 0),
    line('control, the same without the rules of the zones: times otherwise', zoneless, '> 0', zoneless > 0),
  ];
}
