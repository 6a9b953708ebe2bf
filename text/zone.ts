import { nearest } from './nearest.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

/** Milliseconds that the clocks of a zone are ahead of UTC at an instant. Fails with `RangeError` where there is no such zone. */
export function offsetAt(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at);
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes, seconds = '0'] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  const ahead = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -ahead : ahead) * 1_000;
}

/**
 * The instant at which the clocks of a zone show a time (`wall`: that time as if it were UTC). Where they show it twice the first one,
 * where they skip it the instant at which they would have shown it.
 */
export function instantOf(zone: string, wall: number): number {
  const [before, after] = [wall - offsetAt(zone, wall - dayMs), wall - offsetAt(zone, wall + dayMs)];
  const shown = [before, after].filter((at) => at + offsetAt(zone, at) === wall);
  return shown.length === 0 ? before : Math.min(...shown);
}

/** When the clocks of a zone are next put forward or back, and by how many milliseconds. */
export type ClockChange = { at: number; by: number };

/** The first change of a zone's clocks after an instant, within 400 days; undefined where there is none. */
export function nextClockChange(zone: string, after: number): ClockChange | undefined {
  const offset = offsetAt(zone, after);
  const last = after + 400 * dayMs;
  // No zone has put its clocks forward and back within a week.
  let changed = after + weekMs;
  while (changed < last && offsetAt(zone, changed) === offset) changed += weekMs;
  if (changed >= last) return undefined;
  let before = changed - weekMs;
  while (changed - before > 1_000) {
    const middle = Math.floor((before + changed) / 2_000) * 1_000;
    if (offsetAt(zone, middle) === offset) before = middle;
    else changed = middle;
  }
  return { at: changed, by: offsetAt(zone, changed) - offset };
}

const zones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** Why a text names no zone of the IANA database, and which was meant; undefined where it does. */
export function wrongZone(text: string): { meant?: string } | undefined {
  const same = zones().find((zone) => zone.toLowerCase() === text.toLowerCase());
  if (same === text) return undefined;
  // Servers take the letters as they are.
  if (same !== undefined) return { meant: same };
  try {
    // It knows offsets and the names of before too, which have no letters in front, or other names now.
    if (/^[A-Z]/.test(text) && new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone !== '') return undefined;
  } catch {
    // No zone.
  }
  const meant = nearest(text, zones());
  return meant === undefined ? {} : { meant };
}

const two = (value: number): string => String(Math.trunc(value)).padStart(2, '0');

/** An instant as the clocks of a zone show it: `2026-11-23 06:15 +01:00`, with seconds where there are some. */
export function zoned(zone: string, at: number): string {
  const offset = offsetAt(zone, at);
  const wall = new Date(at + offset).toISOString();
  const seconds = wall.slice(17, 19) === '00' ? '' : wall.slice(16, 19);
  const minutes = Math.abs(offset) / 60_000;
  const shift = zone === 'UTC' ? 'UTC' : `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
  return `${wall.slice(0, 10)} ${wall.slice(11, 16)}${seconds} ${shift}`;
}

const timePattern = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

export const timeRule = 'a time such as 2026-01-31, 2026-01-31T06:15 or 2026-01-31T06:15:00Z';

/** The instant of a time as it is typed, by the clocks of a zone where it names no offset; undefined where it is none. */
export function instantIn(zone: string, text: string): number | undefined {
  const [, date, time = '00:00', offset] = timePattern.exec(text) ?? [];
  if (date === undefined) return undefined;
  const wall = Date.parse(`${date}T${time}Z`);
  // A day that a month does not have is read as one of the next.
  if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 10) !== date) return undefined;
  return offset === undefined ? instantOf(zone, wall) : Date.parse(`${date}T${time}${offset}`);
}
