import { resolveService } from '../../config/connections.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Config } from '../../config/load.ts';
import type { ConnectionFacts } from '../../pipelines/step.ts';

/** What the configuration says of the maps service of a connection; undefined for one that cannot be used now. */
export const connectionFacts =
  (config: Config) =>
  (name: string): ConnectionFacts | undefined => {
    try {
      return resolveService(config, 'maps', name).tuning;
    } catch (error) {
      if (error instanceof ConfigError) return undefined;
      throw error;
    }
  };
