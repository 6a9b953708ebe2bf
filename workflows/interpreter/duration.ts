const units: { [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `30m`, `24h` or `7d`. */
export function durationMs(text: string): number {
  const match = /^(\d+)([smhd])$/.exec(text);
  if (!match) throw new Error(`'${text}' is not a duration such as 30m, 24h or 7d`);
  return Number(match[1]) * units[match[2]!]!;
}
