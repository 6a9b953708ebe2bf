import type { OwnServices } from '../client/own-fetch.ts';
import { createPermits } from '../client/permits.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/load.ts';
import { readSecret } from '../config/secret.ts';
import type { Step } from '../pipelines/step.ts';
import { didYouMean } from '../text/nearest.ts';
import { keptClosings } from '../config/kept-closings.ts';
import { waiting } from './waiting.ts';

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
    // Read each time: it may have been rotated.
    secret: (name) =>
      waiting(async () => {
        const secret = config.secrets[name];
        if (secret) return readSecret(secret, config.root, `secrets.${name}`);
        const names = Object.keys(config.secrets);
        throw new ConfigError(
          `a step asks for the secret '${name}', which is not under secrets in ${config.file ?? 'portolan.config.mts'}${didYouMean(name, names)}`,
          `name where it is found: secrets: { ${name}: { env: 'NAME' } }`,
        );
      }),
  };
}

/** Whole segments count: /search is no beginning of /searches. */
const begins = ({ href }: URL, prefix: string): boolean =>
  href.startsWith(prefix) && (prefix.endsWith('/') || /^(?:$|[/?#])/.test(href.slice(prefix.length)));
