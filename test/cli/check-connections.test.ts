import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { checkConnections } from '../../cli/start/check-connections.ts';
import { loadConfig } from '../../config/load.ts';
import { configured } from '../config/support.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Looks at a service that gives these statuses, one a request; 0: the connection is cut. */
async function checked(...statuses: number[]): Promise<number> {
  let asked = 0;
  server = createServer((_, response) => {
    const status = statuses[Math.min(asked++, statuses.length - 1)]!;
    if (status === 0) response.destroy();
    else response.writeHead(status, { 'content-type': 'application/json' }).end('{"detail":"no"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env['CHECKED_KEY'] = 'nk-checked';
  const config = await loadConfig(configured({ connections: { prod: { maps: { url, secret: { env: 'CHECKED_KEY' } } } } }));
  await checkConnections(config, [{ maps: 'prod' }]);
  return asked;
}

test('a wrong key is said before a run starts', async () => {
  await expect(checked(401)).rejects.toMatchObject({
    message: expect.stringContaining("'prod'"),
    remedy: expect.stringContaining('secret'),
  });
});

test.each([403, 404, 429, 500])('a %i says neither that the key is wrong nor that nobody is there, and stops no run', async (status) => {
  expect(await checked(status)).toBe(1);
});

test('a service that restarts is asked again, one that stays away is said', async () => {
  expect(await checked(0, 0, 403)).toBe(3);
  await expect(checked(0)).rejects.toMatchObject({ remedy: expect.stringContaining('is the service up?') });
});

test.each([
  ['a variable', { env: 'NO_SUCH_KEY_4711' }, 'NO_SUCH_KEY_4711'],
  ['a file', { file: 'secrets/none' }, 'secrets/none'],
])('a key in %s that is not there is said before a run starts', async (_, secret, where) => {
  const config = await loadConfig(configured({ connections: { prod: { maps: { url: 'http://127.0.0.1:1', secret } } } }));
  await expect(checkConnections(config, [{ maps: 'prod' }])).rejects.toMatchObject({
    message: expect.stringMatching(new RegExp(`^connection 'prod': .*${where}`)),
    remedy: expect.stringContaining('--no-check'),
  });
});
