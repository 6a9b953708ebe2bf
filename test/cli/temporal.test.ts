import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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

/** A server that takes connections and says nothing, until the test is over. */
const silent = (): Server => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return server;
};

test('a server that takes the connection and says nothing is called silent, is waited for, and that is said', async () => {
  const server = silent();
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

const here = fileURLToPath(new URL('../../', import.meta.url));

test('a server that refuses leaves nothing behind that holds the process', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  // A deadline that outlived the connection would end with the patience for a silent one.
  const script = `
    const { connectTemporal } = await import('${here}cli/project/temporal.ts');
    const { loadConfig } = await import('${here}config/load.ts');
    const patience = { refusedMs: 100, silentMs: 1_000_000 };
    await connectTemporal(await loadConfig(process.cwd()), { patience }).catch((error) => console.log(error.message));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd,
    env: { ...process.env, TEMPORAL_ADDRESS: `127.0.0.1:${port}`, NODE_NO_WARNINGS: '1' },
  });
  expect(stdout).toMatch(/^no Temporal server answers at .*: the connection was refused: nothing listens there$/m);
});

test('Ctrl-C ends the wait for a silent server', async () => {
  const server = silent();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(here, 'cli', 'bin.ts'), 'runs'], {
    cwd,
    env: { ...process.env, TEMPORAL_ADDRESS: `127.0.0.1:${port}` },
    stdio: 'ignore',
  });
  await once(server, 'connection');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});
