import { utcTime } from './utc-time.ts';

/**
 * How far a source was read. `time`: an instant in ISO 8601 with microseconds; `number`: a whole number; `files`: how many files
 * were seen, `rows`: how many rows a mirror has put into its dataset, which stand in a list beside the mark.
 */
export type Mark = { kind: 'time' | 'number' | 'files' | 'rows'; value: string };

const instant = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/;

/** A mark as a whole number by which marks of its kind are ordered: microseconds since the epoch of a time. Fails where the value is none. */
export function markNumber({ kind, value }: Mark): bigint {
  if (kind !== 'time') return BigInt(value);
  const [, seconds, fraction = ''] = instant.exec(value) ?? [];
  const ms = seconds === undefined ? Number.NaN : Date.parse(`${seconds}Z`);
  if (Number.isNaN(ms)) throw new Error(`'${value}' is no time such as 2024-12-31T23:59:59Z`);
  return BigInt(ms) * 1_000n + BigInt(fraction.padEnd(6, '0'));
}

/** The mark of such a number. */
export function markOf(kind: 'time' | 'number', number: bigint): Mark {
  if (kind === 'number') return { kind, value: String(number) };
  const micros = ((number % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((number - micros) / 1_000n)).toISOString().slice(0, 19);
  return { kind, value: `${seconds}.${String(micros).padStart(6, '0')}Z` };
}

/**
 * A mark as a person writes it: a whole number, or a date or time (`2024-12-31`, `2024-12-31T23:59:59+01:00`; without a zone it is UTC).
 * Undefined where it is neither.
 */
export function parseMark(text: string): Mark | undefined {
  if (/^[+-]?\d+$/.test(text)) return { kind: 'number', value: String(BigInt(text)) };
  const micros = utcTime(text);
  return micros === undefined ? undefined : markOf('time', micros);
}

/** A mark as it is shown; null: none, everything is read. */
export const markWords = (mark: Mark | null): string => {
  if (mark === null) return 'none';
  return mark.kind === 'files' || mark.kind === 'rows' ? `${mark.value} ${mark.kind}` : mark.value;
};
