import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createCalls } from '../../client/invoke.ts';
import { createConnections } from '../../workers/open-connections.ts';

let folder: string;
let server: Server;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-connections-'));
  server = createServer((_, response) => void response.writeHead(429, { 'retry-after': '60' }).end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'key'), 'nk-one', { mode: 0o600 });
  const maps = (subject: string): string => `{ maps: { url: '${url}', secret: { file: 'key' }, subject: '${subject}' } }`;
  writeFileSync(
    join(folder, 'portolan.config.mts'),
    `export default { connections: { ada: ${maps('same')}, twin: ${maps('same')}, grace: ${maps('other')} } };`,
  );
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

test('connections of one user share the limits counted by user, connections of this host those counted by address', async () => {
  const connect = createConnections(await loadConfig(folder));
  const open = (name: string) => createCalls((service) => connect(service, name).transport);
  const read = async (name: string) => open(name).invoke('maps.user.get', {});
  const embed = async (name: string) => open(name).invoke('maps.embedding.text', { texts: ['x'] });
  await expect(read('ada')).rejects.toMatchObject({ sent: true });
  await expect(read('twin')).rejects.toMatchObject({ sent: false });
  await expect(read('grace')).rejects.toMatchObject({ sent: true });
  await expect(embed('ada')).rejects.toMatchObject({ sent: true });
  await expect(embed('grace')).rejects.toMatchObject({ sent: false });
});
