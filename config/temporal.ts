import { loadClientConnectConfig } from '@temporalio/envconfig';
import { ConfigError } from './config-error.ts';
import { liveDevFile } from './dev-file.ts';
import type { Config } from './load.ts';
import { readSecret } from './secret.ts';

type ConnectOptions = ReturnType<typeof loadClientConnectConfig>['connectionOptions'];

export type TemporalConnection = {
  /** Which of the four it was. */
  source: 'environment' | 'temporal.toml' | 'portolan.config.mts' | 'dev';
  address: string;
  namespace: string;
  /** For `Connection.connect` and `NativeConnection.connect` alike. */
  options: { address: string } & Pick<ConnectOptions, 'tls' | 'apiKey' | 'metadata'>;
  /** Web UI, where it is known. */
  uiUrl?: string;
};

const given = (options: ConnectOptions, address: string): TemporalConnection['options'] => {
  const { tls, apiKey, metadata } = options;
  return {
    address,
    ...(tls !== undefined && { tls }),
    ...(apiKey !== undefined && { apiKey }),
    ...(metadata !== undefined && { metadata }),
  };
};

const fromStandardPlaces = (): TemporalConnection | undefined => {
  let loaded: ReturnType<typeof loadClientConnectConfig>;
  try {
    loaded = loadClientConnectConfig();
  } catch (error) {
    throw new ConfigError(`TEMPORAL_* or temporal.toml: ${(error as Error).message}`, 'correct the variable or file', { cause: error });
  }
  const { address } = loaded.connectionOptions;
  if (address === undefined) return undefined;
  const source = process.env['TEMPORAL_ADDRESS'] === undefined ? 'temporal.toml' : 'environment';
  return { source, address, namespace: loaded.namespace ?? 'default', options: given(loaded.connectionOptions, address) };
};

const fromConfig = (config: Config): TemporalConnection | undefined => {
  const { temporal } = config;
  if (temporal === undefined) return undefined;
  const { address, namespace, apiKey, tls } = temporal;
  const options = {
    address,
    ...(tls !== undefined && { tls }),
    ...(apiKey && { apiKey: readSecret(apiKey, config.root, 'temporal.apiKey') }),
  };
  return { source: 'portolan.config.mts', address, namespace, options };
};

const fromDev = (config: Config, forcedOnly: boolean): TemporalConnection | undefined => {
  const { temporal } = liveDevFile(config.dir) ?? {};
  if (temporal === undefined || (forcedOnly && !temporal.forced)) return undefined;
  const { address, namespace, uiUrl } = temporal;
  return { source: 'dev', address, namespace, options: { address }, ...(uiUrl !== undefined && { uiUrl }) };
};

/** The configured cluster, if any: TEMPORAL_*, then temporal.toml, then `temporal` of the configuration. */
export const configuredCluster = (config: Config): TemporalConnection | undefined => fromStandardPlaces() ?? fromConfig(config);

/**
 * How Temporal is reached: the configured cluster, else the server of `portolan dev`; one that `dev` was given goes before both.
 * Fails with `ConfigError` where there is none.
 */
export const temporalConnection = (config: Config): TemporalConnection => {
  const found = fromDev(config, true) ?? configuredCluster(config) ?? fromDev(config, false);
  if (found !== undefined) return found;
  throw new ConfigError(
    `no Temporal server: none is configured, and portolan dev is not running in ${config.root}`,
    `start one (portolan dev --detach), or name a cluster: TEMPORAL_ADDRESS, temporal.toml, or \`temporal\` in portolan.config.mts${config.file === undefined ? '. There is no portolan.config.mts here or above: for that of a project, go there; portolan init makes one' : ''}`,
  );
};
