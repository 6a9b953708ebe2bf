import { createClient } from '../../client/create-client.ts';
import { ApiError, NetworkError } from '../../client/errors.ts';
import { createPermits } from '../../client/permits.ts';
import { resolveConnection } from '../../config/connections.ts';
import type { Config } from '../../config/load.ts';
import { maps } from '../../contracts/maps/index.ts';
import { CommandError } from '../frame/errors.ts';

/** A service that restarts answers again within this time. */
const tries = 3;

/**
 * Asks each service of a run for the user of its key, before anything starts: a wrong key or a stopped service is said
 * now and not by a run that retries. Answers that say neither (a limit, an error of the service) stop nothing.
 */
export async function checkConnections(config: Config, connections: { [service: string]: string }): Promise<void> {
  for (const name of new Set(Object.values(connections))) {
    const { maps: open } = resolveConnection(config, name);
    const client = createClient('maps', maps, { baseUrl: open.url, token: open.token, permits: createPermits(), timeoutMs: 5_000 });
    const error = await lastError(() => client.user.get({}));
    if (error instanceof NetworkError) {
      throw new CommandError(`connection '${name}': ${error.message}`, {
        remedy:
          'is the service up? portolan doctor tells; --no-check starts the run all the same, where only its worker reaches the service',
      });
    }
    if (error instanceof ApiError && error.status === 401) {
      throw new CommandError(`connection '${name}': ${error.message}`, {
        remedy: 'check the secret of the connection in portolan.config.mts (portolan doctor tells which it is)',
      });
    }
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
