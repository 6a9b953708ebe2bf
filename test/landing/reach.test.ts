import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLanding } from '../../landing/landing.ts';
import { checkedAddresses } from '../../reach/checked-host.ts';
import { isPublic } from '../../reach/public-address.ts';
import { serveFile, type FileServer } from '../support/file-server.ts';
import { names, spellings } from '../support/spellings.ts';

/** Listens on every address of this machine and counts who comes. */
let inside: Server;
let port = 0;
let connections = 0;
let outside: FileServer;
let root: string;
const signal = new AbortController().signal;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'portolan-reach-'));
  inside = createServer((socket) => (connections++, socket.destroy()));
  await new Promise<void>((listening) => void inside.listen(0, '::', listening));
  ({ port } = inside.address() as AddressInfo);
  outside = await serveFile(Buffer.from('x'));
});
afterAll(async () => {
  await outside[Symbol.asyncDispose]();
  await new Promise((closed) => void inside.close(closed));
  await rm(root, { recursive: true, force: true });
});

/** Names such as `localhost.` mean this machine on some systems, and nothing on others. */
const thisMachine = async (): Promise<{ address: string; family: number }[]> => [{ address: '127.0.0.1', family: 4 }];

const landing = (allow: string[] = [new URL(outside.origin).host]) =>
  createLanding({ root, allow, lookup: thisMachine, mostBytes: 1e6, pausesMs: [], secret: async () => 'x' });

/** Leads to an address after so many redirects; 0: it is asked for at once. */
const through = (hops: number, to: string): string => {
  outside.twist((request, response) => {
    const left = Number(request.url!.slice(1));
    // A header holds bytes: those of UTF-8.
    response.writeHead(302, { location: left > 1 ? `/${left - 1}` : Buffer.from(to).toString('latin1') }).end();
    return true;
  });
  return hops === 0 ? to : `${outside.origin}/${hops}`;
};

test('there are at least 150 spellings of addresses that are not public', () => {
  expect(new Set(spellings(1)).size).toBeGreaterThanOrEqual(150);
});

test.each([0, 1, 2, 3])('no spelling of an address that is not public is connected to, behind %d redirects', async (hops) => {
  for (const url of spellings(port))
    await expect(landing()(through(hops, url), { signal }), url).rejects.toMatchObject({
      name: expect.stringMatching(/^(NotFetched|TypeError)$/),
    });
  expect(connections).toBe(0);
});

test('the same server counts a connection where the configuration allows its host', async () => {
  await expect(landing([`127.0.0.1:${port}`])(`http://127.0.0.1:${port}/x`, { signal })).rejects.toMatchObject({ name: 'Interrupted' });
  expect(connections).toBe(1);
  connections = 0;
});

test.each([0, 1, 2])('a name that is answered with such an address is not connected to, behind %d redirects', async (hops) => {
  for (const [, address] of names) {
    const lookup = async (): Promise<{ address: string; family: number }[]> => [
      { address: '93.184.216.34', family: 4 },
      { address, family: address.includes(':') ? 6 : 4 },
    ];
    const land = createLanding({
      root,
      allow: [new URL(outside.origin).host],
      lookup,
      mostBytes: 1e6,
      pausesMs: [],
      secret: async () => 'x',
    });
    await expect(land(through(hops, `http://files.example.com:${port}/x`), { signal }), address).rejects.toMatchObject({
      name: 'NotFetched',
      message: expect.stringContaining('no public address'),
    });
  }
  expect(connections).toBe(0);
});

test('a port that a URL leaves out is the port that the configuration allows, and no other', async () => {
  const lookup = async (): Promise<{ address: string; family: number }[]> => [{ address: '10.0.0.5', family: 4 }];
  const isAllowed = (url: string, allow: string): Promise<boolean> =>
    checkedAddresses(new URL(url), { allow: [allow], lookup }).then(
      () => true,
      () => false,
    );
  for (const [scheme, port] of [
    ['https', 443],
    ['http', 80],
  ] as const) {
    expect(await isAllowed(`${scheme}://files.internal/x`, `files.internal:${port}`)).toBe(true);
    expect(await isAllowed(`${scheme}://files.internal/x`, 'files.internal')).toBe(true);
    expect(await isAllowed(`${scheme}://files.internal/x`, 'files.internal:8443')).toBe(false);
    expect(await isAllowed(`${scheme}://files.internal:8443/x`, 'files.internal:8443')).toBe(true);
    expect(await isAllowed(`${scheme}://files.internal:8443/x`, `files.internal:${port}`)).toBe(false);
  }
});

test('a name is asked for once: what it means a moment later is not connected to', async () => {
  let asked = 0;
  // Allowed, so that the first answer is taken though it is of this machine; the second would be the server inside.
  const lookup = async (): Promise<{ address: string; family: number }[]> => [
    { address: asked++ === 0 ? '127.0.0.9' : '127.0.0.1', family: 4 },
  ];
  const land = createLanding({
    root,
    allow: [`rebound.example.com:${port}`],
    lookup,
    mostBytes: 1e6,
    pausesMs: [],
    secret: async () => 'x',
  });
  await expect(land(`http://rebound.example.com:${port}/x`, { signal })).rejects.toMatchObject({ name: 'Interrupted' });
  expect(asked).toBe(1);
  connections = 0;
});

test.each([
  ['8.8.8.8', true],
  ['2606:4700:4700::1111', true],
  ['64:ff9b::808:808', true],
  ['2002:808:808::1', true],
  ['64:ff9b::7f00:1', false],
  ['2002:7f00:1::', false],
  ['fe80::1%eth0', false],
  ['no address', false],
])('%s is public: %s', (address, expected) => {
  expect(isPublic(address)).toBe(expected);
});
