import { readFile } from 'node:fs/promises';
import { connect, Socket } from 'node:net';
import { Client } from 'pg';
import { NotFetched } from '../../errors/classes.ts';
import { shortageOf } from '../../errors/system.ts';
import { milliseconds } from '../../text/duration.ts';
import type { LandingOptions } from '../landing.ts';
import type { Database } from './database.ts';

const connectMs = 10_000;

/** The server ends what takes too long; where it is not heard of any more, so much later we do. */
const graceMs = 30_000;

const onThisMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;

export type Connection = AsyncDisposable & { client: Client };

/** The certificates of a file. Fails with `NotFetched` where it cannot be read, unless the host lacks what it takes. */
const certificates = (name: string, path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (shortageOf(error)) throw error;
    throw new NotFetched(
      `sources.postgres.${name}.ca: ${path} cannot be read: ${error.code}`,
      `correct the path, which is relative to portolan.config.mts, or put the certificates there, on every host with a worker`,
    );
  });

/** Connects to a database. Ends the connection where `signal` does. */
export async function openConnection(
  { name, host, port, database, user, secret: named, tls, ca, timeout }: Database,
  secret: LandingOptions['secret'],
  signal: AbortSignal,
): Promise<Connection> {
  signal.throwIfAborted();
  const socket = new Socket();
  const encrypted = (tls ?? (onThisMachine.test(host) ? 'none' : 'verify')) === 'verify';
  const client = new Client({
    host,
    port,
    database,
    user,
    // A function: instead of a text that is empty the library takes one of the environment.
    async password() {
      if (named !== undefined) return secret(named);
      throw new NotFetched(
        `postgres:${name}: the server asks for the password of '${user}'`,
        `name it: sources: { postgres: { ${name}: { secret: NAME } } }`,
      );
    },
    ssl: encrypted && { rejectUnauthorized: true, servername: host, ...(ca !== undefined && { ca: await certificates(name, ca) }) },
    sslnegotiation: 'postgres',
    stream: () => socket,
    application_name: 'portolan',
    client_encoding: 'UTF8',
    connectionTimeoutMillis: connectMs,
    query_timeout: milliseconds(timeout) + graceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: graceMs,
  });
  // What it is about has failed as well.
  client.on('error', () => undefined);
  const end = (): void => {
    if (!socket.destroyed) cancelQuery(client, host, port);
    socket.destroy();
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    await client.connect();
  } catch (error) {
    end();
    signal.removeEventListener('abort', end);
    signal.throwIfAborted();
    throw error;
  }
  return {
    client,
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', end);
      // Says that it leaves; whether the server hears it is nothing to wait for.
      socket.unref().setTimeout(connectMs, () => socket.destroy());
      void client.end().catch(() => undefined);
    },
  };
}

const cancelCode = 80_877_102;

/** Asks a server to end what a connection does: it may notice only with the next row that nobody is there. */
function cancelQuery(client: Client, host: string, port: number): void {
  const { processID, secretKey } = client as { processID?: number | null; secretKey?: number | null };
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const message = Buffer.alloc(16);
  [16, cancelCode, processID, secretKey].forEach((value, at) => message.writeInt32BE(value, at * 4));
  const socket = connect({ host, port, timeout: connectMs }, () => socket.end(message));
  socket.on('error', () => undefined).on('timeout', () => socket.destroy());
}
