import { UsageError } from '../frame/errors.ts';

/** A TCP port of the command line. Fails with `UsageError`. */
export const port = (option: string, value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new UsageError(`--${option} is a port from 0 to 65535, got '${value}'`);
  return number;
};
