import type { OwnServices } from '../client/own-fetch.ts';
import { createPermits } from '../client/permits.ts';
import type { Config } from '../config/load.ts';
import { ConfigError } from '../config/config-error.ts';
import { namedSecret } from '../config/named-secret.ts';
import type { Step } from '../pipelines/step.ts';
import { keptClosings } from '../config/kept-closings.ts';
import { unconfigured } from './waiting.ts';

/** What own steps use beside the APIs: services of the user under one gate, the limits of sweeps, secrets by name. */
export function createOwnServices(config: Config, own: readonly Step[]): OwnServices {
  const sweeps = own.flatMap((step) =>
    step.own && 'each' in step.own.code && step.own.code.limit ? [[`steps/${step.name}`, step.own.code.limit]] : [],
  );
  const prefixes = Object.keys(config.limits)
    .map((prefix) => ({ prefix, href: new URL(prefix).href }))
    .sort((a, b) => b.href.length - a.href.length);
  return {
    permits: createPermits({ ...config.limits, ...Object.fromEntries(sweeps) }, { kept: keptClosings(config.dir, 'own services') }),
    limitOf: (url) => prefixes.find(({ href }) => begins(url, href))?.prefix ?? url.origin,
    // Waited for whatever is wrong with it: an item that could not ask has no fate, and the next worker may have it.
    secret: async (name) => {
      try {
        return namedSecret(config, name);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw unconfigured(error);
      }
    },
  };
}

/** Whole segments count: /search is no beginning of /searches. */
const begins = ({ href }: URL, prefix: string): boolean =>
  href.startsWith(prefix) && (prefix.endsWith('/') || /^(?:$|[/?#])/.test(href.slice(prefix.length)));
