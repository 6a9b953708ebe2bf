import { connectionNames, resolveService, servicesOf } from '../../config/connections.ts';
import type { Config } from '../../config/load.ts';
import type { ConnectionSummary } from '../render/connections.ts';

/** Name, place and URL of each service of each connection that resolves; reads no secret. */
export const connectionSummaries = (config: Config): ConnectionSummary[] =>
  connectionNames(config).flatMap((name) =>
    servicesOf(config, name).flatMap((service) => {
      try {
        const { hosted, url } = resolveService(config, service, name);
        return [{ name, service, hosted, url }];
      } catch {
        // `local` without a running `dev`: not a connection now.
        return [];
      }
    }),
  );
