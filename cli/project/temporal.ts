import { Client, Connection } from '@temporalio/client';
import type { Config } from '../../config/load.ts';
import { temporalConnection, type TemporalConnection } from '../../config/temporal.ts';
import { CommandError } from '../frame/errors.ts';

export type Temporal = {
  client: Client;
  address: string;
  namespace: string;
  source: TemporalConnection['source'];
  uiUrl?: string;
  close(): Promise<void>;
};

const remedies: Record<TemporalConnection['source'], string> = {
  dev: 'it was started by portolan dev, which seems to have ended: portolan dev --detach',
  environment: 'check TEMPORAL_ADDRESS and the network, or unset it to use portolan dev',
  'temporal.toml': 'check the address in temporal.toml and the network',
  'portolan.config.mts': 'check `temporal` in portolan.config.mts and the network',
};

/** Connects to the configured Temporal within 3 s. Fails with the address, the reason and the remedy. */
export const connectTemporal = async (config: Config): Promise<Temporal> => {
  const { source, address, namespace, options, uiUrl } = temporalConnection(config);
  try {
    const connection = await Connection.connect({ ...options, connectTimeout: '3s' });
    return {
      client: new Client({ connection, namespace }),
      address,
      namespace,
      source,
      ...(uiUrl && { uiUrl }),
      close: () => connection.close(),
    };
  } catch (error) {
    throw new CommandError(`no Temporal server answers at ${address} (named by ${source})`, { remedy: remedies[source], cause: error });
  }
};
