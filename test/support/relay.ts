import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** One connection through a relay; `serial` counts from 1. */
export type Relayed = { serial: number; server: Socket; client: Socket };

/** A port of this machine behind another one: `each` sees a connection before its first byte, `reset` ends those that are open. */
export async function createRelay(to: number) {
  let each: (relayed: Relayed) => void = () => undefined;
  let connections = 0;
  const open = new Set<Socket>();
  const relay = createServer((client) => {
    const server = connect(to, '127.0.0.1');
    open.add(client);
    client.on('error', () => server.destroy()).on('close', () => (open.delete(client), server.destroy()));
    server.on('error', () => client.destroy()).on('close', () => client.destroySoon());
    client.pipe(server);
    server.pipe(client);
    each({ serial: ++connections, server, client });
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    port: (relay.address() as AddressInfo).port,
    connections: () => connections,
    twist: (next: (relayed: Relayed) => void) => void (each = next),
    reset(): number {
      const found = [...open];
      for (const socket of found) socket.resetAndDestroy();
      return found.length;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((closed) => void relay.close(closed));
    },
  };
}

export type RelayServer = Awaited<ReturnType<typeof createRelay>>;
