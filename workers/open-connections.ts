import type { OpenConnection } from '../activities/frame/create-activities.ts';
import { createClient } from '../client/create-client.ts';
import { createCalls } from '../client/invoke.ts';
import { createPermits, type Permits } from '../client/permits.ts';
import { createPutPart } from '../client/put-part.ts';
import { ConfigError } from '../config/config-error.ts';
import { resolveConnection } from '../config/connections.ts';
import type { Config } from '../config/load.ts';
import { limits } from '../contracts/limits.ts';
import { maps } from '../contracts/maps/index.ts';
import { Unavailable } from '../errors/classes.ts';
import { keptClosings } from './kept-closings.ts';

/** Connections by name, with one gate per service and limit subject in this process, whatever activities use it. */
export function createConnections(config: Config): (name: string) => Promise<OpenConnection> {
  const gates = new Map<string, Permits>();
  return async (name) => {
    // Resolved each time: a secret may have been rotated, and `local` moves when the dev service does.
    const { maps: open, ...connection } = waiting(() => resolveConnection(config, name));
    const gate = `${open.url} ${open.subject}`;
    if (!gates.has(gate)) gates.set(gate, createPermits({ ...limits, ...open.limits }, { kept: keptClosings(config.dir, gate) }));
    const permits = gates.get(gate)!;
    return {
      connection: {
        ...connection,
        settleMs: open.settleMs,
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
