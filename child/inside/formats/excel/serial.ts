import type { FormatKind } from './number-format.ts';

/**
 * From which day a workbook counts: 1900-01-01 is 1 and 29 February 1900 is there; 1904-01-01 is 0; or 1899-12-30 is 0, as LibreOffice
 * and ISO 29500 have it, which is the first one from March 1900 on.
 */
export type DateSystem = '1900' | '1904' | '1899';

/** What a number with the format of a date or time says. */
export type Moment = { kind: 'date' | 'timestamp' | 'text'; text: string };

const dayMs = 86_400_000;
/** The first day of this calendar. */
const firstMs = Date.UTC(1582, 9, 15);
const lastMs = Date.UTC(9999, 11, 31) + dayMs - 1;

/** The day that was never one. */
const leapDay = 60;

const two = (number: number): string => String(number).padStart(2, '0');

/** Hours, minutes and seconds, and milliseconds where there are any; the hours may be more than a day's. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const fraction = ms % 1_000 === 0 ? '' : `.${String(ms % 1_000).padStart(3, '0')}`;
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}

/** Midnight of a day by its number, in milliseconds since 1970; undefined where the system has no such day. */
function midnight(day: number, system: DateSystem): number | undefined {
  if (system === '1904') return day < 0 ? undefined : Date.UTC(1904, 0, 1) + day * dayMs;
  if (system === '1899') return Date.UTC(1899, 11, 30) + day * dayMs;
  if (day < 1 || day === leapDay) return undefined;
  return Date.UTC(1899, 11, day < leapDay ? 31 : 30) + day * dayMs;
}

/** Days as date, time or duration, to the millisecond; undefined where they are none. */
export function serialMoment(serial: number, format: FormatKind, system: DateSystem): Moment | undefined {
  const ms = Math.round(serial * dayMs);
  if (!Number.isSafeInteger(ms)) return undefined;
  if (format === 'duration') return { kind: 'text', text: `${ms < 0 ? '-' : ''}${clock(Math.abs(ms))}` };
  if (format === 'time' && serial >= 0 && serial < 1) return { kind: 'text', text: clock(ms % dayMs) };
  const start = midnight(Math.floor(ms / dayMs), system);
  if (start === undefined || start < firstMs || start > lastMs) return undefined;
  const date = new Date(start).toISOString().slice(0, 10);
  const rest = ms - Math.floor(ms / dayMs) * dayMs;
  return rest === 0 ? { kind: 'date', text: date } : { kind: 'timestamp', text: `${date}T${clock(rest)}` };
}

/** What a date or time that is written out says; undefined where it is not in this calendar, or in no form that is known. */
export function writtenMoment(text: string): Moment | undefined {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d{1,6})?))?$/.exec(text) ?? [];
  if (date === undefined) return undefined;
  const whole = `${date}T${time ?? '00:00:00'}`;
  const ms = Date.parse(`${whole.slice(0, 19)}Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== whole.slice(0, 19)) return undefined;
  return /T00:00:00(\.0+)?$/.test(whole) ? { kind: 'date', text: date } : { kind: 'timestamp', text: whole };
}
