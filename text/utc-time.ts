const pattern = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,6})\d*)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * A date or time as a person writes it (`2024-12-31`, `2024-12-31T23:59:59.5+01:00`), in microseconds since the epoch; without a zone it
 * is UTC, wherever it is read. Undefined where it is none, such as 31 February.
 */
export function utcTime(text: string): bigint | undefined {
  const [, day, time = '00:00:00', fraction = '', zone = 'Z'] = pattern.exec(text) ?? [];
  if (day === undefined) return undefined;
  const [midnight, ms] = [Date.parse(`${day}T00:00:00Z`), Date.parse(`${day}T${time}${zone}`)];
  // A day that a month does not have is read as one of the next.
  if (Number.isNaN(ms) || Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  return BigInt(ms) * 1_000n + BigInt(fraction.padEnd(6, '0'));
}
