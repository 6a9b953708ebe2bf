import { instantOf, offsetAt } from '../text/zone.ts';

/** Lengths that the window of a scheduled run may have. */
export const windowUnits = ['hour', 'day', 'week', 'month'] as const;
export type WindowUnit = (typeof windowUnits)[number];

/** What a run of a plan looks at: the last whole part of this length that has ended when the run is due, by the clocks of a zone. */
export type PlanWindow = { of: WindowUnit; timezone: string };

/** When a run is due by its plan, and the time that it is for: from `from`, and before `to` (ISO 8601, UTC). */
export type RunTime = { scheduledAt: string; window?: { from: string; to: string } };

const hourMs = 3_600_000;

/** Where the part begins, `back` parts before the one that a date stands in. Weeks begin on Monday. */
const startOf: Readonly<Record<Exclude<WindowUnit, 'hour'>, (date: Date, back: number) => number>> = {
  day: (date, back) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - back),
  week: (date, back) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - ((date.getUTCDay() + 6) % 7) - back * 7),
  month: (date, back) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back),
};

/** From the time of the plan and not from the clock, so that a window that is made up for later is the same. */
export function timeOf(at: number, window?: PlanWindow): RunTime {
  const scheduledAt = iso(at);
  return window === undefined ? { scheduledAt } : { scheduledAt, window: windowAt(at, window) };
}

function windowAt(at: number, { of, timezone }: PlanWindow): { from: string; to: string } {
  if (of === 'hour') {
    const to = startOfHour(at, timezone);
    return { from: iso(startOfHour(to - 1, timezone)), to: iso(to) };
  }
  const wall = at + offsetAt(timezone, at);
  const start = (back: number): string => iso(instantOf(timezone, startOf[of](new Date(wall), back)));
  return { from: start(1), to: start(0) };
}

/** The latest full hour of the clocks until then. Where they change by a part of an hour (Lord Howe), the hour around that is longer. */
function startOfHour(at: number, timezone: string): number {
  const wall = at + offsetAt(timezone, at);
  const past = ((wall % hourMs) + hourMs) % hourMs;
  return past === 0 ? at : startOfHour(at - past, timezone);
}

const iso = (at: number): string => new Date(at).toISOString();
