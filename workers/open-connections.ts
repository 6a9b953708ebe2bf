import type { OpenConnection } from '../activities/frame/create-activities.ts';
import { createClient } from '../client/create-client.ts';
import { createCalls } from '../client/invoke.ts';
import { createPermits, permitsBySubject, type Permits } from '../client/permits.ts';
import { createPutPart } from '../client/put-part.ts';
import { ConfigError } from '../config/config-error.ts';
import { resolveConnection } from '../config/connections.ts';
import type { Config } from '../config/load.ts';
import { limits, subjectOf } from '../contracts/limits.ts';
import { maps } from '../contracts/maps/index.ts';
import { Unavailable } from '../errors/classes.ts';
import { keptClosings } from './kept-closings.ts';

/**
 * Connections by name. All that this process sends goes by one gate for each address of a service, one for each user there and one for
 * each key, whatever connection and activity it belongs to.
 */
export function createConnections(config: Config): (name: string) => Promise<OpenConnection> {
  const gates = new Map<string, Permits>();
  const gateOf = (gate: string, known: Parameters<typeof createPermits>[0]): Permits => {
    const found = gates.get(gate);
    if (found) return found;
    const permits = createPermits(known, { kept: keptClosings(config.dir, gate) });
    gates.set(gate, permits);
    return permits;
  };
  return async (name) => {
    // Resolved each time: a secret may have been rotated, and `local` moves when the dev service does.
    const { maps: open, ...connection } = waiting(() => resolveConnection(config, name));
    const known = { ...limits, ...open.limits };
    const { origin } = new URL(open.url);
    const permits = permitsBySubject(
      {
        address: gateOf(`${origin} address`, known),
        user: gateOf(`${origin} user ${open.subject}`, known),
        key: gateOf(`${origin} key ${open.key}`, known),
      },
      subjectOf,
    );
    return {
      connection: {
        ...connection,
        ...open.tuning,
        ...(open.organization === undefined ? {} : { organization: open.organization }),
      },
      mapsUrl: (path) => open.url + path,
      calls: (callScope, fence) => {
        const transport = { baseUrl: open.url, token: async () => waiting(open.token), permits, callScope, fence };
        return {
          ...createCalls(() => transport),
          maps: createClient('maps', maps, transport),
          putPart: createPutPart(permits, fence),
        };
      },
    };
  };
}

/** A service that is being restarted, or a secret's file that is being replaced, comes back: the run waits for it. */
function waiting<T>(work: () => T): T {
  const wait = (error: unknown): never => {
    if (!(error instanceof ConfigError && error.passes)) throw error;
    throw new Unavailable('configuration', `${error.message}; ${error.remedy}`, { cause: error });
  };
  try {
    const made = work();
    return made instanceof Promise ? (made.catch(wait) as T) : made;
  } catch (error) {
    return wait(error);
  }
}
