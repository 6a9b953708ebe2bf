import type { RunTime } from '../../pipelines/window.ts';
import { zoned } from '../../text/zone.ts';
import type { ClockEffect } from './preview.ts';

/** An instant as the clocks of a zone show it. */
export const instant = (zone: string, iso: string): string => zoned(zone, Date.parse(iso));

/** A time of the clock that is given as if it were UTC. */
const clockTime = (iso: string): string => iso.slice(11, 16);

/** Times that are named one by one. */
const mostNamed = 6;

/** Times in a row; of many the first ones, the last one and how many they are. */
const listed = (times: readonly string[]): string =>
  times.length <= mostNamed ? times.join(', ') : `${times.slice(0, 3).join(', ')} … ${times.at(-1)} (${times.length} times)`;

/** A window that no run reads, and what reads it all the same. */
export const unreadWords = ({ scheduledAt, window }: RunTime, zone: string): string =>
  `no run reads ${instant(zone, window!.from)} to ${instant(zone, window!.to)}: portolan run FILE --at ${scheduledAt.replace('.000Z', 'Z')} does`;

/** A change of the clocks in words: the day, which way they go, and what that does to the schedule, or that it does nothing. */
export type ClockWords = { day: string; change: string; effects: string; harmless: boolean };

export function clockWords({ at, byMinutes, skipped, twice, lost, unnamed, unread }: ClockEffect, zone: string): ClockWords {
  const none = [...skipped, ...lost].toSorted().map(clockTime);
  const often = ({ runs }: (typeof twice)[number]): string => {
    const offsets = runs.map((run) => instant(zone, run).slice(17)).join(' and ');
    return runs.length === 0 ? 'never' : `${runs.length === 1 ? 'once' : 'twice'} (${offsets})`;
  };
  const doubled = [...Map.groupBy(twice, often)].map(([words, of]) => `${listed(of.map(({ clock }) => clockTime(clock)))} ${words}`);
  const effects = [
    ...(doubled.length === 0 ? [] : [doubled.join(', ')]),
    ...(none.length === 0 ? [] : [`no run at ${listed(none)}`]),
    ...(unnamed.length === 0 ? [] : [`a run at ${listed(unnamed.map((run) => instant(zone, run).slice(11)))}, which is not named`]),
    ...unread.map((time) => unreadWords(time, zone)),
  ];
  const nothing = byMinutes > 0 ? 'nothing is skipped' : 'nothing is doubled';
  return {
    day: instant(zone, at).slice(0, 10),
    change: `${byMinutes > 0 ? 'forward' : 'back'} ${Math.abs(byMinutes)} min`,
    effects: effects.length === 0 ? nothing : effects.join('; '),
    harmless: effects.length === 0,
  };
}
