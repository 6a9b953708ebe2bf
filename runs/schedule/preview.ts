import type { Client } from '@temporalio/client';
import type { Schedule } from '../../pipelines/file/schedule.ts';
import { timeOf, type PlanWindow, type RunTime, type WindowUnit } from '../../pipelines/window.ts';
import { instantOf, nextClockChange, offsetAt, type ClockChange } from '../../text/zone.ts';
import { withDueTimes, type DueTimes } from './due-times.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What a change of the clocks does to a schedule. Times of the clock are given as if they were UTC. */
export type ClockEffect = {
  /** When clocks change, and how far they are put forward. */
  at: string;
  byMinutes: number;
  /** Times of the clock at which a run would be due, and which the clocks skip: no run. */
  skipped: string[];
  /** Times of the clock that are there twice, and the instants at which a run is due then. */
  twice: { clock: string; runs: string[] }[];
  /** Times of the clock that are there once, at which a run would be due, and of which the server makes none. */
  lost: string[];
  /** Instants of runs that the server makes of none of the times that the line names. */
  unnamed: string[];
  /** Windows that no run reads, for the time that reads them is left out: each with the instant of that time. */
  unread: RunTime[];
};

export type SchedulePreview = {
  /** The next runs: when they are due, and their windows. */
  next: RunTime[];
  /** The next two changes of the clocks in its zone, where it has some and follows them. */
  clocks: ClockEffect[];
};

/** Runs that are shown. */
const shown = 5;

/** The next runs of a schedule, as the server has them, and what the next changes of the clocks do to it. */
export async function previewSchedule(client: Client, schedule: Schedule, now: number): Promise<SchedulePreview> {
  const window = windowOf(schedule);
  return withDueTimes(client, schedule, async (due) => {
    const next = (await nextTimes(due, now)).map((at) => timeOf(at, window));
    const first = schedule.cron === undefined ? undefined : nextClockChange(schedule.timezone, now);
    if (first === undefined || next.length === 0) return { next, clocks: [] };
    const second = nextClockChange(schedule.timezone, first.at);
    return { next, clocks: await effectsOf(client, schedule, due, [first, ...(second ? [second] : [])]) };
  });
}

/** Windows that no run reads because clocks have changed between two instants. `due`: of the schedule. */
export async function unreadBetween(client: Client, schedule: Schedule, due: DueTimes, from: number, to: number): Promise<RunTime[]> {
  const { cron, window, timezone } = schedule;
  if (cron === undefined || window === undefined) return [];
  const changes: ClockChange[] = [];
  for (let change = nextClockChange(timezone, from); change && change.at < to; change = nextClockChange(timezone, change.at))
    changes.push(change);
  if (changes.length === 0) return [];
  const unread = (await effectsOf(client, schedule, due, changes)).flatMap((effect) => effect.unread);
  return unread.filter(({ scheduledAt }) => Date.parse(scheduledAt) < to);
}

const effectsOf = (client: Client, schedule: Schedule, due: DueTimes, changes: readonly ClockChange[]): Promise<ClockEffect[]> =>
  withDueTimes(client, { ...schedule, timezone: 'UTC' }, (named) =>
    Promise.all(changes.map((change) => effectOf(change, schedule, due, named))),
  );

/** What runs of a schedule look at. */
export const windowOf = ({ window, timezone }: Schedule): PlanWindow | undefined => window && { of: window, timezone };

/** The next times after an instant: looked for further and further ahead, up to eight years, for the 29th of February. */
async function nextTimes(due: DueTimes, now: number): Promise<number[]> {
  for (let ahead = hourMs; ; ahead *= 12) {
    const found = await due(now, now + Math.min(ahead, 8 * 366 * dayMs));
    if (found.length >= shown || ahead > 8 * 366 * dayMs) return found.slice(0, shown);
  }
}

/** So long before and after a change a server may count wrongly: it looks from one hour of the clock to the next. */
const aroundMs = 3 * hourMs;

/** `named`: the same cron line by a clock that never changes: the times that the line names. */
async function effectOf({ at, by }: ClockChange, schedule: Schedule, due: DueTimes, named: DueTimes): Promise<ClockEffect> {
  const { timezone: zone } = schedule;
  const [before, after] = [at + offsetAt(zone, at - 1), at + offsetAt(zone, at)];
  const clocks = await named(before - aroundMs - 1, after + aroundMs - 1);
  const found = await due(at - aroundMs - 1, at + aroundMs - 1);
  const runs = Map.groupBy(found, (run) => run + offsetAt(zone, run));
  const [from, to] = [Math.min(before, after), Math.max(before, after)];
  const changed = clocks.filter((clock) => clock >= from && clock < to);
  const lost = clocks.filter((clock) => !changed.includes(clock) && !runs.has(clock));
  // A line of each hour means both where one is there twice.
  const isHourly = (clock: number): boolean => clocks.includes(clock - hourMs) && clocks.includes(clock + hourMs);
  const meant = (clock: number): number[] => {
    const first = instantOf(zone, clock);
    return by < 0 && changed.includes(clock) && isHourly(clock) ? [first, first - by] : [first];
  };
  return {
    at: iso(at),
    byMinutes: by / 60_000,
    skipped: by > 0 ? changed.map(iso) : [],
    twice: by > 0 ? [] : changed.map((clock) => ({ clock: iso(clock), runs: (runs.get(clock) ?? []).map(iso) })),
    lost: lost.map(iso),
    unnamed: [...runs].flatMap(([clock, of]) => (clocks.includes(clock) ? [] : of.map(iso))),
    unread: await unreadAt(
      [...lost, ...changed].flatMap(meant).filter((instant) => !found.includes(instant)),
      schedule,
      due,
    ),
  };
}

/** How long the part of time that follows a window lasts at most: a run that is due in it reads the window. */
const longestMs: Readonly<Record<WindowUnit, number>> = {
  // Where clocks change by half an hour.
  hour: 1.5 * hourMs,
  day: 25 * hourMs,
  week: 7 * dayMs + hourMs,
  month: 31 * dayMs + hourMs,
};

/** Of the windows that would be read at these instants those that no other run reads. */
async function unreadAt(instants: readonly number[], schedule: Schedule, due: DueTimes): Promise<RunTime[]> {
  const window = windowOf(schedule);
  if (window === undefined) return [];
  const byEnd = new Map(instants.toReversed().map((at) => [endOf(at, window), timeOf(at, window)]));
  const unread: RunTime[] = [];
  for (const [end, time] of [...byEnd].sort(([a], [b]) => a - b)) {
    const runs = await due(end - 1, end + longestMs[window.of]);
    if (!runs.some((run) => endOf(run, window) === end)) unread.push(time);
  }
  return unread;
}

const endOf = (at: number, window: PlanWindow): number => Date.parse(timeOf(at, window).window!.to);

const iso = (at: number): string => new Date(at).toISOString();
