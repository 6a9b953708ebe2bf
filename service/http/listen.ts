import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';

export type Listening = { port: number; hosts: string[]; close(): Promise<void> };

/** Another program listens on the port that was asked for. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
  readonly remedy = 'end what listens there, or take another: --port N (0: a free one)';
  readonly port: number;
  constructor(port: number, cause: unknown) {
    super(`port ${port} is in use`, { cause });
    this.port = port;
  }
}

type Fetch = (request: Request, bindings: HttpBindings) => Response | Promise<Response>;

/** Bytes of an address with its headers: a read by GET names as many points as one by POST. */
const maxHeaderSize = 512 * 1_024;

const bind = (fetch: Fetch, host: string, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const serverOptions = { maxHeaderSize };
    const server = createAdaptorServer({ fetch: fetch as never, overrideGlobalObjects: false, serverOptions }) as Server;
    // Idle connections of clients outlive short pauses, and a reused one is not cut in the middle.
    server.keepAliveTimeout = 30_000;
    server.requestTimeout = 0;
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(server);
    });
  });

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EADDRINUSE';

const absentStack = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

const bindBoth = async (fetch: Fetch, port: number, attempts: number): Promise<Server[]> => {
  const first = await bind(fetch, '127.0.0.1', port);
  try {
    return [first, await bind(fetch, '::1', (first.address() as AddressInfo).port)];
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (absentStack.has(code)) return [first];
    first.close();
    // A free port of one stack can be taken on the other.
    if (port === 0 && isTaken(error) && attempts > 1) return bindBoth(fetch, port, attempts - 1);
    throw error;
  }
};

/**
 * Listens on one host, or without one on loopback of both stacks: public clients resolve `localhost` to ::1. Port 0 takes a free one,
 * `orFree` where the port is taken; else that fails with `PortInUse`.
 */
export const listen = async (
  fetch: Fetch,
  { port = 0, orFree = false, host }: { port?: number | undefined; orFree?: boolean | undefined; host?: string | undefined },
): Promise<Listening> => {
  const open = async (on: number): Promise<Server[]> => (host === undefined ? bindBoth(fetch, on, 5) : [await bind(fetch, host, on)]);
  const servers = await open(port).catch((error: unknown) => {
    if (!isTaken(error)) throw error;
    if (!orFree) throw new PortInUse(port, error);
    return open(0);
  });
  const addresses = servers.map((server) => server.address() as AddressInfo);
  return {
    port: addresses[0]!.port,
    hosts: addresses.map(({ address }) => address),
    close: async () => {
      await Promise.all(
        servers.map(
          (server) =>
            new Promise<void>((resolve) => {
              server.close(() => resolve());
              server.closeIdleConnections();
              // Requests under way get their answer; who keeps a connection open for longer is cut.
              setTimeout(() => server.closeAllConnections(), 2_000).unref();
            }),
        ),
      );
    },
  };
};
