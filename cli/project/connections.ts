import type { Config } from '../../config/load.ts';
import { connectionNames, resolveConnection } from '../../config/connections.ts';
import type { ConnectionSummary } from '../render/connections.ts';

/** Name, place and URL of each connection that resolves; reads no secret. */
export const connectionSummaries = (config: Config): ConnectionSummary[] =>
  connectionNames(config).flatMap((name) => {
    try {
      const { hosted, maps } = resolveConnection(config, name);
      return [{ name, hosted, url: maps.url }];
    } catch {
      // `local` without a running `dev`: not a connection now.
      return [];
    }
  });
