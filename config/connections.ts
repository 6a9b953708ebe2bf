import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { guessedReadings } from '../contracts/assumptions/index.ts';
import { serviceNames, type Service } from '../contracts/index.ts';
import { didYouMean } from '../text/nearest.ts';
import { ConfigError } from './config-error.ts';
import { liveDevFile } from './dev-file.ts';
import type { Config } from './load.ts';
import { isLoopbackUrl } from './loopback-url.ts';
import { localName, type ConfiguredService } from './schema.ts';
import { readSecret } from './secret.ts';
import { sharedLimits } from './shared-limits.ts';
import { tuningOf, type Tuning } from './tuning.ts';

/** One service of a connection: where it is, and whose limits and rights its calls have. */
export type ServiceConnection = {
  /** Name of the connection. */
  name: string;
  /** False for services on this machine. */
  hosted: boolean;
  /** Base URL without a slash at its end. */
  url: string;
  /** Reads the key anew, so that a rotated one is used. */
  token: () => Promise<string>;
  /** Of the maps API: organization slug or id. */
  organization?: string;
  limits: NonNullable<ConfiguredService['limits']>;
  /** The user at the service: connections with the same one share the limits that are counted by user. By default it is the key's. */
  subject?: string;
  /** Where the key is found, and a hash that stands for it where it can be read: connections with the same key share its limits. */
  key: { place: string; digest: () => string | undefined };
  tuning: Tuning;
};

/** Undefined where the key cannot be read now: the call that needs it says why. */
const digestOf = (read: () => string): string | undefined => {
  try {
    return createHash('sha256').update(read()).digest('hex');
  } catch {
    return undefined;
  }
};

const localService = (config: Config, service: Service): ServiceConnection => {
  const dev = liveDevFile(config.dir);
  if (dev === undefined)
    throw new ConfigError(`connection '${localName}': portolan dev is not running in ${config.root}`, 'start it: portolan dev --detach', {
      passes: true,
    });
  const { url, keyFiles } = dev.service;
  const file = resolve(config.root, keyFiles[service]);
  const read = (): string => {
    // The service wrote it when it started: nobody writes it by hand.
    if (!existsSync(file))
      throw new ConfigError(
        `connection '${localName}': there is no file ${file}, which portolan dev has written`,
        'put it back, with its folder; or begin anew with an empty one: portolan dev --stop, then portolan dev --detach',
        { passes: true },
      );
    return readSecret({ file }, config.root, `connection '${localName}'`);
  };
  return {
    name: localName,
    hosted: false,
    url,
    token: async () => read(),
    limits: {},
    key: { place: keyFiles[service], digest: () => digestOf(read) },
    // The service of `dev` takes the guessed readings.
    tuning: tuningOf({ readings: guessedReadings() }, false),
  };
};

/** Names that a connection can be asked for by. */
export const connectionNames = (config: Config): string[] => [...Object.keys(config.connections), localName];

/**
 * A service of the connection of a name, or of the configured default one. `local` is the service of `portolan dev` and is used only
 * where it is named. Fails with `ConfigError` for an unknown name, for a service that the connection does not hold, or when none was named.
 */
export const resolveService = (config: Config, service: Service, name: string | undefined = config.connection): ServiceConnection => {
  const names = connectionNames(config);
  if (name === undefined)
    throw new ConfigError(
      'no connection is named',
      `name one: --connection NAME, or \`connection\` in portolan.config.mts; known: ${names.join(', ')}`,
    );
  if (name === localName) return localService(config, service);
  const connection = Object.hasOwn(config.connections, name) ? config.connections[name] : undefined;
  if (connection === undefined) {
    throw new ConfigError(
      `connection '${name}' is not in ${config.file ?? `portolan.config.mts (none in ${config.root})`}${didYouMean(name, names)}`,
      `known connections: ${names.join(', ')}`,
    );
  }
  const open = connection[service];
  if (open === undefined)
    throw new ConfigError(
      `connection '${name}' holds no service '${service}', only ${Object.keys(connection).join(', ')}`,
      `add it: connections.${name}.${service}: { url, secret }`,
    );
  const hosted = !isLoopbackUrl(open.url);
  const read = (): string => readSecret(open.secret, config.root, `connections.${name}.${service}.secret`);
  return {
    name,
    hosted,
    url: open.url.replace(/\/+$/, ''),
    token: async () => read(),
    ...('organization' in open && open.organization !== undefined && { organization: open.organization }),
    limits: sharedLimits(config, service, open),
    ...(open.subject !== undefined && { subject: open.subject }),
    key: {
      place: 'env' in open.secret ? `env ${open.secret.env}` : resolve(config.root, open.secret.file),
      digest: () => digestOf(read),
    },
    tuning: tuningOf(open, hosted),
  };
};

/** The services that a connection of this name holds; `local` holds all. */
export const servicesOf = (config: Config, name: string): Service[] =>
  serviceNames.filter(
    (service) => name === localName || (Object.hasOwn(config.connections, name) && config.connections[name]![service] !== undefined),
  );
