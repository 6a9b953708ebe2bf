import type { ClockEffect } from '../../runs/schedule/preview.ts';

/** An instant, and the time that the clocks of a zone show at it: `2026-10-25T02:30`. */
export type Shown = { at: number; clock: string };

/** Minutes and hours of a cron line that names both by lists; no hours: each. */
export type CronLine = { minutes: readonly number[]; hours?: readonly number[] };

const minuteMs = 60_000;

/** Clocks that change by an hour on either side of UTC, and by half an hour. */
export const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'] as const;

/** A zone as part of a name: `new-york`. */
export const placeOf = (zone: string): string => zone.split('/')[1]!.toLowerCase().replaceAll('_', '-');

export const isoOf = (at: number): string => new Date(at).toISOString();

/** A time of the clock, of one that is given as if it were UTC. */
export const clockOf = (iso: string): string => iso.slice(0, 16);

export const cronOf = ({ minutes, hours }: CronLine): string => `${minutes.join(',')} ${hours?.join(',') ?? '*'} * * *`;

const names = ({ minutes, hours }: CronLine, clock: string): boolean =>
  minutes.includes(Number(clock.slice(14, 16))) && (hours === undefined || hours.includes(Number(clock.slice(11, 13))));

/**
 * Every instant of a time at which clocks show what a line names, by looking at each minute through the zone data of Node. What this
 * knows of zones it has from no code of the product, and none of the server's.
 */
export function shownTimes(zone: string, line: CronLine, from: number, to: number): Shown[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const found: Shown[] = [];
  for (let at = Math.ceil(from / minuteMs) * minuteMs; at < to; at += minuteMs) {
    const clock = format.format(at).replace(' ', 'T');
    if (names(line, clock)) found.push({ at, clock });
  }
  return found;
}

/** Times that a line names and that clocks show never, and those that they show twice, from one instant to another. */
export function changedTimes(zone: string, line: CronLine, from: number, to: number): { never: string[]; twice: string[] } {
  const clocks = shownTimes(zone, line, from, to).map(({ clock }) => clock);
  // A clock that never changes shows all of them, from the first to the last.
  const [first, last] = [Date.parse(`${clocks[0]!}Z`), Date.parse(`${clocks.at(-1)!}Z`)];
  const all = shownTimes('UTC', line, first, last + minuteMs).map(({ clock }) => clock);
  return {
    never: all.filter((clock) => !clocks.includes(clock)),
    twice: [...new Set(clocks.filter((clock, index) => clocks.indexOf(clock) !== index))],
  };
}

/** What is due by the zone data, where the effects of changes are as a preview says. */
export function dueBy(zone: string, line: CronLine, clocks: readonly ClockEffect[], from: number, to: number): number[] {
  const lost = new Set(clocks.flatMap((effect) => effect.lost.map(clockOf)));
  const doubled = new Map(
    clocks.flatMap((effect) => effect.twice.map(({ clock, runs }) => [clockOf(clock), runs.map((run) => Date.parse(run))])),
  );
  const named = shownTimes(zone, line, from, to).filter(({ at, clock }) => !lost.has(clock) && (doubled.get(clock)?.includes(at) ?? true));
  const unnamed = clocks.flatMap((effect) => effect.unnamed.map((run) => Date.parse(run)));
  return [...named.map(({ at }) => at), ...unnamed.filter((at) => at >= from && at < to)].toSorted((a, b) => a - b);
}
