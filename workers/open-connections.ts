import { join } from 'node:path';
import type { OpenService } from '../activities/frame/open-service.ts';
import { resolveService } from '../config/connections.ts';
import { createGates } from '../config/gates.ts';
import type { Config } from '../config/load.ts';
import { secretFiles } from '../config/secret-files.ts';
import type { Service } from '../contracts/index.ts';
import { waiting } from './waiting.ts';

/** Services of connections, by name. All that this process sends goes by the same gates, whatever connection and activity it belongs to. */
export function createConnections(config: Config): (service: Service, name: string) => OpenService {
  const gates = createGates(config);
  const secrets = secretFiles(join(config.dir, 'secrets'));
  return (service, name) => {
    // Resolved each time: a secret may have been rotated, and `local` moves when the dev service does.
    const resolved = waiting(() => resolveService(config, service, name));
    const { token, subject: _subject, key: _key, limits: _limits, tuning, ...connection } = resolved;
    return {
      connection: { ...connection, ...tuning },
      transport: { baseUrl: connection.url, token: async () => waiting(token), permits: gates(resolved), secrets },
    };
  };
}
