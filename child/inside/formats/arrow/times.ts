import { IntervalUnit, TimeUnit } from 'apache-arrow';

/** Nanoseconds of one unit. */
export const nanoseconds: Record<TimeUnit, bigint> = {
  [TimeUnit.SECOND]: 1_000_000_000n,
  [TimeUnit.MILLISECOND]: 1_000_000n,
  [TimeUnit.MICROSECOND]: 1_000n,
  [TimeUnit.NANOSECOND]: 1n,
};

const two = (value: bigint): string => String(value).padStart(2, '0');

/** A length of time as DuckDB writes it, hours without bound and to the nanosecond: `-26:00:00.5`. */
export function durationText(nanos: bigint): string {
  const whole = nanos < 0n ? -nanos : nanos;
  const seconds = whole / 1_000_000_000n;
  const fraction = String(whole % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const clock = `${two(seconds / 3_600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`;
  return `${nanos < 0n ? '-' : ''}${clock}${fraction === '' ? '' : `.${fraction}`}`;
}

const counted = (value: number, unit: string): string[] => (value === 0 ? [] : [`${value} ${unit}${Math.abs(value) === 1 ? '' : 's'}`]);

/** An interval of calendar and clock as DuckDB writes it: `1 year 2 months 3 days 04:05:06`. */
function intervalText(months: number, days: number, nanos: bigint): string {
  const parts = [...counted(Math.trunc(months / 12), 'year'), ...counted(months % 12, 'month'), ...counted(days, 'day')];
  return [...parts, ...(nanos !== 0n || parts.length === 0 ? [durationText(nanos)] : [])].join(' ');
}

/** The interval of a row: how it lies in the buffer depends on its unit. */
export function intervalAt(values: Int32Array, unit: IntervalUnit, row: number): string {
  const at = (place: number): number => values[place] ?? 0;
  if (unit === IntervalUnit.YEAR_MONTH) return intervalText(at(row), 0, 0n);
  if (unit === IntervalUnit.DAY_TIME) return intervalText(0, at(row * 2), BigInt(at(row * 2 + 1)) * 1_000_000n);
  const nanos = (BigInt(at(row * 4 + 3)) << 32n) | BigInt(at(row * 4 + 2) >>> 0);
  return intervalText(at(row * 4), at(row * 4 + 1), nanos);
}
