import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { connectTemporal } from '../../cli/project/temporal.ts';
import { loadConfig } from '../../config/load.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-cli-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(cwd, { recursive: true, force: true });
});

/** Connects, by TEMPORAL_ADDRESS, to a server of this test. */
const connectTo = async (server: Server, patience?: { refusedMs: number; silentMs: number }) => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('TEMPORAL_ADDRESS', address);
  const lines: string[] = [];
  const connecting = connectTemporal(await loadConfig(cwd), { report: (line) => lines.push(line), ...(patience && { patience }) });
  return { address, lines, connecting };
};

test('a server that takes the connection and says nothing is called silent, is waited for, and that is said', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { address, lines, connecting } = await connectTo(server, { refusedMs: 10, silentMs: 3_000 });
  await expect(connecting).rejects.toMatchObject({
    message: `the Temporal server at ${address} (named by environment) does not answer: nothing refused the connection, and nothing came in 3 s`,
    remedy: expect.stringContaining('loaded, try again'),
  });
  expect(lines).toEqual([`waiting for the Temporal server at ${address}: silent for 0.01 s now, as a loaded one is\n`]);
});

test('a server that takes no call of this key says so itself', async () => {
  const server = createHttp2Server();
  server.on('stream', (stream) =>
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16', 'grpc-message': 'unknown key' },
      { endStream: true },
    ),
  );
  onTestFinished(() => void server.close());
  const { address, connecting } = await connectTo(server);
  await expect(connecting).rejects.toMatchObject({
    message: `the Temporal server at ${address} (named by environment) refuses: unknown key`,
    remedy: 'check its API key, its TLS and the namespace',
  });
});
