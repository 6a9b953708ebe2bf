import { NetworkError } from '../../client/errors.ts';
import { resolveService } from '../../config/connections.ts';
import { createGates } from '../../config/gates.ts';
import type { Config } from '../../config/load.ts';
import type { Service } from '../../contracts/index.ts';
import { CommandError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { probe } from '../project/probe.ts';
import { unusable, type Otherwise } from './connection-problem.ts';

/** A service that restarts is there again within this time. */
const tries = 3;

const otherwise: Otherwise = {
  unreached: '--no-check starts the run all the same, where only its worker reaches the service',
  keyless: '--no-check starts the run all the same, where only its worker has the secret',
};

/**
 * Asks each service of a run something harmless with its key, before anything starts: a wrong key or a stopped service is said
 * now and not by a run that retries, and so is a key that is not there. Answers that say neither (a limit, a scope that the key lacks,
 * an error of the service) stop nothing.
 */
export async function checkConnections(config: Config, reached: readonly { [service: string]: string }[]): Promise<void> {
  const gates = createGates(config);
  const all = new Map(reached.flatMap((connections) => Object.entries(connections).map((each) => [each.join(' '), each] as const)));
  for (const [service, name] of all.values() as Iterable<[Service, string]>) {
    const connection = resolveService(config, service, name);
    const error = await lastError(() => probe(service, connection, { permits: gates(connection), timeoutMs: 5_000 }));
    const problem = unusable(name, error, otherwise);
    if (!problem) continue;
    // Only a service that is away is no mistake of the configuration.
    const code = error instanceof NetworkError ? exit.failed : exit.usage;
    throw new CommandError(problem.says, { remedy: problem.remedy, code });
  }
}

async function lastError(call: () => Promise<unknown>): Promise<unknown> {
  let last: unknown;
  for (let attempt = 0; attempt < tries; attempt++) {
    try {
      await call();
      return undefined;
    } catch (error) {
      last = error;
      if (!(error instanceof NetworkError)) return error;
    }
  }
  return last;
}
