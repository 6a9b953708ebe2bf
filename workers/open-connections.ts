import { join } from 'node:path';
import type { OpenService } from '../activities/frame/create-activities.ts';
import { createPermits, permitsBySubject, type Permits } from '../client/permits.ts';
import { resolveService } from '../config/connections.ts';
import type { Config } from '../config/load.ts';
import { secretFiles } from '../config/secret-files.ts';
import type { Service } from '../contracts/index.ts';
import { limits, subjectOf } from '../contracts/limits.ts';
import { keptClosings } from './kept-closings.ts';
import { waiting } from './waiting.ts';

/**
 * Services of connections, by name. All that this process sends goes by one gate for each address of a service, one for each user there
 * and one for each key, whatever connection and activity it belongs to.
 */
export function createConnections(config: Config): (service: Service, name: string) => OpenService {
  const gates = new Map<string, Permits>();
  const gateOf = (gate: string, known: Parameters<typeof createPermits>[0]): Permits => {
    const found = gates.get(gate);
    if (found) return found;
    const permits = createPermits(known, { kept: keptClosings(config.dir, gate) });
    gates.set(gate, permits);
    return permits;
  };
  const secrets = secretFiles(join(config.dir, 'secrets'));
  return (service, name) => {
    // Resolved each time: a secret may have been rotated, and `local` moves when the dev service does.
    const { token, subject, key, limits: own, tuning, ...connection } = waiting(() => resolveService(config, service, name));
    const known = { ...limits, ...own };
    const { origin } = new URL(connection.url);
    const permits = permitsBySubject(
      {
        address: gateOf(`${origin} address`, known),
        user: gateOf(`${origin} user ${subject}`, known),
        key: gateOf(`${origin} key ${key}`, known),
      },
      subjectOf,
    );
    return {
      connection: { ...connection, ...tuning },
      transport: { baseUrl: connection.url, token: async () => waiting(token), permits, secrets },
    };
  };
}
