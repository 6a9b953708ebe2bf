import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { expect, vi } from 'vitest';
import { createRelay } from './relay.ts';

/**
 * PostgreSQL as WebAssembly, in this process, behind a port: of one user, whom it asks for no password. Connections come through a relay,
 * which a test may twist.
 */
export async function servePostgres() {
  const db = await PGlite.create();
  const server = new PGLiteSocketServer({ db, port: 0, host: '127.0.0.1', maxConnections: 10 });
  await server.start();
  const [, inner = ''] = /:(\d+)$/.exec(server.getServerConn()) ?? [];
  const relay = await createRelay(Number(inner));
  return {
    db,
    port: relay.port,
    connections: relay.connections,
    twist: relay.twist,
    /** Until nobody is connected: all connections are one session of this server, and each leaves it as it was. */
    idle: () => vi.waitFor(() => expect(server.getStats().activeConnections).toBe(0), 300_000),
    async [Symbol.asyncDispose]() {
      await relay[Symbol.asyncDispose]();
      await server.stop();
      await db.close();
    },
  };
}

export type PostgresServer = Awaited<ReturnType<typeof servePostgres>>;
