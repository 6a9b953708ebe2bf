import type { Client } from '@temporalio/client';
import type { Schedule } from '../../pipelines/file/schedule.ts';
import { timeOf, type PlanWindow, type RunTime } from '../../pipelines/window.ts';
import { nextClockChange, offsetAt, type ClockChange } from '../../text/zone.ts';
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
    const clocks = await withDueTimes(client, { ...schedule, timezone: 'UTC' }, (named) =>
      Promise.all([first, ...(second ? [second] : [])].map((change) => effectOf(change, schedule.timezone, due, named))),
    );
    return { next, clocks };
  });
}

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
async function effectOf({ at, by }: ClockChange, zone: string, due: DueTimes, named: DueTimes): Promise<ClockEffect> {
  const [before, after] = [at + offsetAt(zone, at - 1), at + offsetAt(zone, at)];
  const clocks = await named(before - aroundMs - 1, after + aroundMs - 1);
  const runs = Map.groupBy(await due(at - aroundMs - 1, at + aroundMs - 1), (run) => run + offsetAt(zone, run));
  const [from, to] = [Math.min(before, after), Math.max(before, after)];
  const changed = clocks.filter((clock) => clock >= from && clock < to);
  return {
    at: iso(at),
    byMinutes: by / 60_000,
    skipped: by > 0 ? changed.map(iso) : [],
    twice: by > 0 ? [] : changed.map((clock) => ({ clock: iso(clock), runs: (runs.get(clock) ?? []).map(iso) })),
    lost: clocks.filter((clock) => !changed.includes(clock) && !runs.has(clock)).map(iso),
    unnamed: [...runs].flatMap(([clock, of]) => (clocks.includes(clock) ? [] : of.map(iso))),
  };
}

const iso = (at: number): string => new Date(at).toISOString();
