import type { AlertDeps } from '../activities/notify/create-alert-activities.ts';
import { createChannel } from '../alerts/create-channel.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/load.ts';
import { temporalConnection } from '../config/temporal.ts';
import { temporalPage } from '../config/temporal-page.ts';
import { unconfigured } from './waiting.ts';

/** What alerts need of the configuration. What it lacks is waited for: the next worker may have it. */
export function createAlerts(config: Config): Pick<AlertDeps, 'channel' | 'page'> {
  const missing = (error: unknown): never => {
    throw error instanceof ConfigError ? unconfigured(error) : error;
  };
  return {
    channel(name) {
      try {
        const channel = createChannel(config, name);
        return { ...channel, send: (document, signal) => channel.send(document, signal).catch(missing) };
      } catch (error) {
        return missing(error);
      }
    },
    page(workflow) {
      try {
        return temporalPage(temporalConnection(config), workflow);
      } catch (error) {
        // An alert without its link is better than none.
        if (error instanceof ConfigError) return undefined;
        throw error;
      }
    },
  };
}
