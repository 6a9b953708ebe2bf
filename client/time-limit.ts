import { ContractError } from './errors.ts';

/** Beyond it a timer of Node fires at once. */
const longestMs = 2 ** 31 - 1;

/** A limit of time in whole milliseconds, fractions rounded up. Fails with `ContractError` where no timer can keep it; nothing is sent then. */
export function timeLimit(ms: number, operation: string, field: string): number {
  const whole = Math.ceil(ms);
  if (whole >= 1 && whole <= longestMs) return whole;
  throw new ContractError(
    operation,
    'request',
    `${field} makes a limit of ${ms} ms, and one is from 1 to ${longestMs} ms (24 days)`,
    `give ${field} a number in these bounds, or leave it out`,
  );
}
