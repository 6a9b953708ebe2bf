import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createCalls } from '../../client/invoke.ts';
import { portolan } from '../cli/support.ts';
import { createConnections } from '../../workers/open-connections.ts';

let folder: string;
let server: Server;
let asked: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-connections-'));
  asked = 0;
  server = createServer((_, response) => {
    asked++;
    response.writeHead(429, { 'retry-after': '600' }).end('{}');
  }).listen(0, '127.0.0.1');
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

/** Another project of this user, with a key of its own at the same service. */
async function anotherProject(key: string): Promise<string> {
  const other = mkdtempSync(join(folder, 'other-'));
  writeFileSync(join(other, 'elsewhere'), key, { mode: 0o600 });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    join(other, 'portolan.config.mts'),
    `export default { connection: 'mine', connections: { mine: { maps: { url: '${url}', secret: { file: 'elsewhere' } } } } };`,
  );
  return other;
}

test('what a service closes for a key, it closes for every project, worker and command of this user', async () => {
  writeFileSync(join(folder, 'key'), 'nk-shared', { mode: 0o600 });
  const mine = await anotherProject('nk-shared');
  const connect = createConnections(await loadConfig(mine));
  await expect(createCalls((service) => connect(service, 'mine').transport).invoke('maps.user.get', {})).rejects.toMatchObject({
    sent: true,
  });
  const third = await anotherProject('nk-shared');
  const call = await portolan(['call', 'maps.user.get'], { cwd: third });
  expect(call).toMatchObject({ code: 1, err: expect.stringMatching(/maps\/read is closed for another \d+ s/) });
  const doctor = await portolan(['doctor', '--json'], { cwd: third });
  expect(doctor.out).toMatch(/"check":"services","ok":true,"detail":"mine: maps [^"]*maps\/read is closed for another/);
  expect(asked).toBe(1);
  await portolan(['call', 'maps.user.get'], { cwd: await anotherProject('nk-another') });
  expect(asked).toBe(2);
});

test('no file of what projects share holds a key or an address', () => {
  const shared = join(process.env['XDG_STATE_HOME']!, 'portolan', 'closed');
  const texts = readdirSync(shared).map((name) => name + readFileSync(join(shared, name), 'utf8'));
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.join()).not.toMatch(/nk-|127\.0\.0\.1/);
  expect(statSync(join(shared, '..')).mode & 0o077).toBe(0);
});

test('by address a hosted service is shared by all projects, one on this machine by its project only', async () => {
  const projects = ['https://maps.example', 'http://127.0.0.1:1'].map((url) => {
    const [one, two] = ['one', 'two'].map(() => {
      const root = mkdtempSync(join(folder, 'by-address-'));
      writeFileSync(join(root, 'key'), `nk-${root}`, { mode: 0o600 });
      writeFileSync(
        join(root, 'portolan.config.mts'),
        `export default { connections: { mine: { maps: { url: '${url}', secret: { file: 'key' } } } } };`,
      );
      return root;
    });
    return [one!, two!] as const;
  });
  const permits = async (root: string) => createConnections(await loadConfig(root))('maps', 'mine').transport.permits;
  const remaining = [];
  for (const [one, two] of projects) {
    (await permits(one)).closed('maps/embedding', 60_000);
    remaining.push([(await permits(one)).remaining('maps/embedding') > 0, (await permits(two)).remaining('maps/embedding') > 0]);
  }
  expect(remaining).toEqual([
    [true, true],
    [true, false],
  ]);
});

/** What the connections of a project may send, which has such entries for them and one key. */
async function connectionsOf(entries: { [name: string]: string }) {
  const root = mkdtempSync(join(folder, 'entries-'));
  writeFileSync(join(root, 'key'), `nk-${root}`, { mode: 0o600 });
  const maps = Object.entries(entries).map(([name, entry]) => `${name}: { maps: { ${entry}, secret: { file: 'key' } } }`);
  writeFileSync(join(root, 'portolan.config.mts'), `export default { connections: { ${maps.join(', ')} } };`);
  const connect = createConnections(await loadConfig(root));
  return (name: string) => connect('maps', name).transport.permits;
}

test('what one service closes for a user says nothing of another service, though the key is the same', async () => {
  const permits = await connectionsOf({ one: `url: 'https://one.example'`, two: `url: 'https://two.example'` });
  permits('one').closed('maps/read', 60_000);
  expect([permits('one').remaining('maps/read') > 0, permits('two').remaining('maps/read')]).toEqual([true, 0]);
});

test('the limits that a connection names come before those that are published', async () => {
  const permits = await connectionsOf({ one: `url: 'https://one.example', limits: { 'maps/tag': { count: 1, seconds: 3600 } }` });
  const first = await permits('one').reserve('maps/tag');
  expect(await first.ready(0)).toBe(true);
  const second = await permits('one').reserve('maps/tag');
  expect(second.inMs).toBeGreaterThan(0);
  second.giveBack();
});
