import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { liveDevFile } from './dev-file.ts';
import type { Config } from './load.ts';
import { didYouMean } from '../text/nearest.ts';
import { isLoopback, localName } from './schema.ts';
import type { MapsConnection } from './schema.ts';
import { readSecret } from './secret.ts';
import { tuningOf, type Tuning } from './tuning.ts';

export type Connection = {
  name: string;
  /** False for services on this machine. */
  hosted: boolean;
  maps: {
    /** Base URL without a slash at its end. */
    url: string;
    /** Reads the key anew, so that a rotated one is used. */
    token: () => Promise<string>;
    organization?: string;
    limits: NonNullable<MapsConnection['limits']>;
    /** The user at the service: connections with the same one share the limits that are counted by user. */
    subject: string;
    /** Where the key is found: connections with the same one share the limits that are counted by key. */
    key: string;
    tuning: Tuning;
  };
};

const localConnection = (config: Config): Connection => {
  const dev = liveDevFile(config.dir);
  if (dev === undefined)
    throw new ConfigError(`connection '${localName}': portolan dev is not running in ${config.root}`, 'start it: portolan dev --detach', {
      passes: true,
    });
  const { url, keyFile } = dev.service;
  return {
    name: localName,
    hosted: false,
    maps: {
      url,
      token: async () => readSecret({ file: keyFile }, config.root, `connection '${localName}'`),
      limits: {},
      subject: localName,
      key: keyFile,
      tuning: tuningOf({}, false),
    },
  };
};

/** Names that a connection can be asked for by. */
export const connectionNames = (config: Config): string[] => [...Object.keys(config.connections), localName];

/**
 * Connection of a name, or the configured default one. `local` is the service of `portolan dev` and is used only where it is named.
 * Fails with `ConfigError` for an unknown name, or when none was named.
 */
export const resolveConnection = (config: Config, name: string | undefined = config.connection): Connection => {
  const names = connectionNames(config);
  if (name === undefined)
    throw new ConfigError(
      'no connection is named',
      `name one: --connection NAME, or \`connection\` in portolan.config.mts; known: ${names.join(', ')}`,
    );
  if (name === localName) return localConnection(config);
  const maps = config.connections[name]?.maps;
  if (maps === undefined) {
    throw new ConfigError(
      `connection '${name}' is not in ${config.file ?? `portolan.config.mts (none in ${config.root})`}${didYouMean(name, names)}`,
      `known connections: ${names.join(', ')}`,
    );
  }
  const hosted = !isLoopback(maps.url);
  return {
    name,
    hosted,
    maps: {
      url: maps.url.replace(/\/+$/, ''),
      token: async () => readSecret(maps.secret, config.root, `connections.${name}.maps.secret`),
      ...(maps.organization !== undefined && { organization: maps.organization }),
      limits: maps.limits ?? {},
      subject: maps.subject ?? name,
      key: 'env' in maps.secret ? `env ${maps.secret.env}` : resolve(config.root, maps.secret.file),
      tuning: tuningOf(maps, hosted),
    },
  };
};
