import { connect } from 'node:net';
import { relative } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Config } from '../../config/load.ts';
import { temporalConnection, type TemporalConnection } from '../../config/temporal.ts';
import { unlessAborted } from '../frame/unless-aborted.ts';
import { CommandError } from '../frame/errors.ts';

export type Temporal = {
  client: Client;
  address: string;
  namespace: string;
  source: TemporalConnection['source'];
  uiUrl?: string;
  close(): Promise<void>;
};

export type ConnectOptions = {
  /** Called once, with a line for a person, when the server is silent and waited for. */
  report?: ((line: string) => void) | undefined;
  /** Ends the wait at once; its reason is thrown. */
  signal?: AbortSignal | undefined;
  /** How long a server that refuses, and one that is silent, is waited for, in milliseconds. */
  patience?: { refusedMs: number; silentMs: number };
};

/** A loaded machine needs seconds for what takes milliseconds, and a server that is being started again refuses for a moment. */
const usual = { refusedMs: 3_000, silentMs: 30_000 };

const temporalPort = 7_233;

const refusals: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused: nothing listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name could not be looked up',
};

/** Why nothing can be sent to an address; undefined where something listens, or nothing was heard in the time. */
const refusalOf = (address: string, withinMs: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const url = `tcp://${address}`;
    if (!URL.canParse(url)) return resolve(undefined);
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || temporalPort, timeout: withinMs });
    const end = (refusal?: string): void => {
      socket.destroy();
      resolve(refusal);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end());
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => end(refusals[code] ?? code));
  });

const remediesOf = ({ root, dir }: Config): Readonly<Record<TemporalConnection['source'], string>> => ({
  dev: `portolan dev runs and starts it again; what it says: ${relative(root, dir)}/logs/temporal.log`,
  environment: 'check TEMPORAL_ADDRESS and the network, or unset it to use portolan dev',
  'temporal.toml': 'check the address in temporal.toml and the network',
  'portolan.config.mts': 'check `temporal` in portolan.config.mts and the network',
});

/** What a server said that was reached and took no call. */
const rejectionOf = (error: unknown): string | undefined => {
  const { code, details } = ((error as Error).cause ?? {}) as { code?: number; details?: string };
  // DEADLINE_EXCEEDED and UNAVAILABLE of gRPC: nothing was said.
  return code === undefined || code === 4 || code === 14 ? undefined : details;
};

/**
 * Connects to the configured Temporal: waits 3 s for one that refuses, 30 s for one that is silent, as a loaded one is.
 * Fails with the address, which of the two it was, and the remedy.
 */
export const connectTemporal = async (config: Config, { report, signal, patience = usual }: ConnectOptions = {}): Promise<Temporal> => {
  const { source, address, namespace, options, uiUrl } = temporalConnection(config);
  const remedy = remediesOf(config)[source];
  const named = `${address} (named by ${source})`;
  /** A connection that is given up leaves no deadline behind that would hold the process: each has its own, and the first is short. */
  const openWithin = async (ms: number): Promise<Connection> => {
    const opened = Connection.lazy({ ...options, connectTimeout: ms });
    try {
      await unlessAborted(opened.ensureConnected(), signal);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  };
  const open = async (): Promise<Connection> => {
    try {
      return await openWithin(patience.refusedMs);
    } catch (error) {
      if (signal?.aborted || rejectionOf(error) !== undefined) throw error;
      const refusal = await refusalOf(address, patience.refusedMs);
      if (refusal !== undefined) throw new CommandError(`no Temporal server answers at ${named}: ${refusal}`, { remedy });
      report?.(`waiting for the Temporal server at ${address}: silent for ${patience.refusedMs / 1_000} s now, as a loaded one is\n`);
      return openWithin(patience.silentMs - patience.refusedMs);
    }
  };
  const connection = await open().catch((error: unknown) => {
    if (signal?.aborted || error instanceof CommandError) throw error;
    const rejection = rejectionOf(error);
    throw rejection === undefined
      ? new CommandError(
          `the Temporal server at ${named} does not answer: nothing refused the connection, and nothing came in ${patience.silentMs / 1_000} s`,
          {
            remedy: `where it or this machine is loaded, try again; where it is no Temporal server, ${remedy}`,
            cause: error,
          },
        )
      : new CommandError(`the Temporal server at ${named} refuses: ${rejection}`, {
          remedy: 'check its API key, its TLS and the namespace',
          cause: error,
        });
  });
  return {
    client: new Client({ connection, namespace }),
    address,
    namespace,
    source,
    ...(uiUrl && { uiUrl }),
    close: () => connection.close(),
  };
};
