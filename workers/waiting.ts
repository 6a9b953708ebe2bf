import { clauses } from '../text/clauses.ts';
import { ConfigError } from '../config/config-error.ts';
import { Unavailable } from '../errors/classes.ts';

/** The wait for what is wrong with the configuration, with its remedy. */
export const unconfigured = (error: ConfigError): Unavailable =>
  new Unavailable('configuration', clauses([error.message, error.remedy]), { cause: error });

/** A service that is being restarted, or a secret's file that is being replaced, comes back: the run waits for it. */
export function waiting<T>(work: () => T): T {
  const wait = (error: unknown): never => {
    if (!(error instanceof ConfigError && error.passes)) throw error;
    throw unconfigured(error);
  };
  try {
    const made = work();
    return made instanceof Promise ? (made.catch(wait) as T) : made;
  } catch (error) {
    return wait(error);
  }
}
