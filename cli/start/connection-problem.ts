import { ApiError, NetworkError } from '../../client/errors.ts';
import { ConfigError } from '../../config/config-error.ts';
import { remedyOfStatus } from '../../errors/meanings.ts';

/** Why a service of a connection gave no answer, in the error's own words, and what helps. */
export type ConnectionProblem = { says: string; remedy: string };

/** What a command can do without the service, or without its key. */
export type Otherwise = { unreached: string; keyless: string };

/**
 * Why nothing can be asked by a connection at all: nobody is there, its key is not, or is wrong. Undefined for answers that say neither
 * (a limit, a scope that the key lacks, an error of the service).
 */
export function unusable(name: string, error: unknown, { unreached, keyless }: Otherwise): ConnectionProblem | undefined {
  if (error instanceof NetworkError)
    return { says: saysOf(name, error), remedy: `is the service up? portolan doctor shows it; ${unreached}` };
  if (error instanceof ConfigError)
    return { says: saysOf(name, error), remedy: `${error.remedy ?? 'portolan doctor shows it'}; ${keyless}` };
  if (error instanceof ApiError && error.status === 401)
    return {
      says: saysOf(name, error),
      remedy: 'check the secret of the connection in portolan.config.mts (portolan doctor shows which it is)',
    };
  return undefined;
}

/** Why a question by a connection was not answered, whatever the reason. */
export function unanswered(name: string, error: Error & { remedy?: unknown }, otherwise: Otherwise): ConnectionProblem {
  const known = error instanceof ApiError ? remedyOfStatus(error.status) : error.remedy;
  const remedy = typeof known === 'string' ? known : 'portolan doctor shows what the connection answers';
  return unusable(name, error, otherwise) ?? { says: saysOf(name, error), remedy };
}

/** Errors of the configuration may name the connection themselves. */
const saysOf = (name: string, { message }: Error): string => {
  const named = `connection '${name}'`;
  return message.startsWith(named) ? message : `${named}: ${message}`;
};
