const dayMs = 86_400_000;

const calendar = /^(\d{4,})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?(?:\+00)?( BC)?$/;

/** Days from 1970-01-01 of a date of the Gregorian calendar, for any year; year 0 is 1 BC. */
function days(year: number, month: number, day: number): number {
  const time = new Date(0).setUTCFullYear(year, month - 1, day);
  return Math.round(time / dayMs);
}

/** Whole days and microseconds from 1970-01-01 of a date or time as the server writes them; undefined where it is none, as infinity. */
function moment(text: string): { day: number; micros: bigint } | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', bc] = calendar.exec(text) ?? [];
  if (year === undefined) return undefined;
  const whole = days(bc === undefined ? Number(year) : 1 - Number(year), Number(month), Number(day));
  // Beyond what the library of the language counts.
  if (!Number.isFinite(whole)) return undefined;
  const seconds = Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  return { day: whole, micros: (BigInt(whole) * 86_400n + BigInt(seconds)) * 1_000_000n + BigInt(fraction.padEnd(6, '0')) };
}

/** Days of a date as the server writes it (DateStyle ISO). */
export const dateDays = (text: string): number | undefined => moment(text)?.day;

/** Microseconds of a time as the server writes it (DateStyle ISO; one with a zone in UTC). */
export const timeMicros = (text: string): bigint | undefined => moment(text)?.micros;

/** The digits of a number of so many decimals as one whole number. */
export function scaled(text: string, scale: number): bigint | undefined {
  const [, sign, whole = '', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (sign === undefined || decimals.length > scale) return undefined;
  const value = BigInt(whole + decimals.padEnd(scale, '0'));
  return sign === '-' ? -value : value;
}

/** A double or float as the server writes it, to the last bit. */
export const floating = (text: string): number | undefined => {
  const value = Number(text);
  return Number.isNaN(value) && text !== 'NaN' ? undefined : value;
};

/** The numbers of an array of one dimension; undefined where it has more, bounds of its own, or an element without a value. */
export function numbersOf(text: string): number[] | undefined {
  if (!/^\{[^{}]*\}$/.test(text)) return undefined;
  if (text === '{}') return [];
  const found: number[] = [];
  for (const part of text.slice(1, -1).split(',')) {
    const value = part === 'NULL' ? undefined : floating(part);
    if (value === undefined) return undefined;
    found.push(value);
  }
  return found;
}
