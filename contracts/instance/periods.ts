export type Period = 'daily' | 'weekly' | 'monthly';

const dayMs = 86_400_000;

/** The period that a time is in, epoch milliseconds: in UTC, weeks from Monday (assumption). `end` is the first moment of the next one. */
export const periodOf = (period: Period, at: number): { start: number; end: number } => {
  const date = new Date(at);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (period === 'monthly') return { start: Date.UTC(year, month, 1), end: Date.UTC(year, month + 1, 1) };
  const sinceMonday = period === 'weekly' ? (date.getUTCDay() + 6) % 7 : 0;
  const start = Date.UTC(year, month, day - sinceMonday);
  return { start, end: start + (period === 'weekly' ? 7 : 1) * dayMs };
};

export const isPeriod = (cadence: string): cadence is Period => ['daily', 'weekly', 'monthly'].includes(cadence);

/** Periods that begin after one time, up to and with another, epoch milliseconds. */
export const periodsBegun = (period: Period, after: number, upTo: number): number => {
  let begun = 0;
  for (let { end } = periodOf(period, after); end <= upTo; end = periodOf(period, end).end) begun++;
  return begun;
};

/** Day of a time, UTC: periods begin with days, so that sums of days are sums of periods. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Billionths of a dollar in a cent. */
export const nanoPerCent = 10_000_000;

/** Whole cents of an amount in billionths of a dollar, half to even: a run is rounded once, over all that it has cost. */
export const centsOf = (nanoUsd: number): number => {
  const whole = Math.floor(nanoUsd / nanoPerCent);
  const rest = nanoUsd - whole * nanoPerCent;
  return rest > nanoPerCent / 2 || (rest === nanoPerCent / 2 && whole % 2 === 1) ? whole + 1 : whole;
};
