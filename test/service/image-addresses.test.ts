import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { picture } from '../support/pictures.ts';
import { serveFile, type FileServer } from '../support/file-server.ts';
import { names, spellings } from '../support/spellings.ts';
import { createProject, createWorld, type World } from './world.ts';

/** Listens on every address of this machine and counts who comes. */
let inside: Server;
let port = 0;
let connections = 0;
let outside: FileServer;

beforeAll(async () => {
  inside = createServer((socket) => (connections++, socket.destroy()));
  await new Promise<void>((listening) => void inside.listen(0, '::', listening));
  ({ port } = inside.address() as AddressInfo);
  outside = await serveFile(await picture(0));
  // `/HOPS/NUMBER` leads to that spelling behind so many redirects.
  outside.twist(({ url }, response) => {
    const [, hops, at] = url!.split('/').map(Number) as [number, number, number];
    const spelling = spellings(port)[at];
    // Behind a redirect some spellings mean a path of this server.
    if (spelling === undefined) response.writeHead(404).end();
    else response.writeHead(302, { location: hops > 1 ? `/${hops - 1}/${at}` : Buffer.from(spelling).toString('latin1') }).end();
    return true;
  });
});
afterAll(async () => {
  await outside[Symbol.asyncDispose]();
  await new Promise((closed) => void inside.close(closed));
});

/** Names such as `localhost.` mean this machine on some systems, and nothing on others. */
const thisMachine = async () => [{ address: '127.0.0.1', family: 4 }];

const refusedUrls = async ({ service }: World, urls: readonly string[]): Promise<number[]> => {
  const body = new URLSearchParams(urls.map((url): [string, string] => ['urls', url]));
  const headers = { authorization: `Bearer ${service.adminKeys.maps}` };
  const answer = await service.fetch(new Request('http://127.0.0.1/v1/embedding/image', { method: 'POST', headers, body }));
  expect(answer.status).toBe(422);
  const { detail } = (await answer.json()) as { detail: { loc: (string | number)[] }[] };
  return detail.map(({ loc: [, field, at] }) => (field === 'urls' ? Number(at) : -1));
};

/** The places of URLs of which no blob was made. */
const unfetched = async ({ service }: World, dataset_id: string, urls: readonly string[]): Promise<number[]> => {
  const body = new FormData();
  for (const [name, value] of [['dataset_id', dataset_id], ...urls.map((url) => ['urls', url])] as [string, string][])
    body.append(name, value);
  const headers = { authorization: `Bearer ${service.adminKeys.maps}` };
  const answer = await service.fetch(new Request('http://127.0.0.1/v1/project/data/add/blobs', { method: 'POST', headers, body }));
  expect(answer.status).toBe(200);
  const { hashes } = (await answer.json()) as { hashes: (string | null)[] };
  return hashes.flatMap((hash, at) => (hash === null ? [at] : []));
};

test('no spelling of an address that is not public is connected to for an image or a blob, at once or behind three redirects', async () => {
  await using world = await createWorld({ outside: { allow: [new URL(outside.origin).host], lookup: thisMachine } });
  const { project_id } = await createProject(world);
  const all = spellings(port);
  expect(new Set(all).size).toBeGreaterThanOrEqual(150);
  for (const hops of [0, 1, 2, 3]) {
    const urls = all.map((url, at) => (hops === 0 ? url : `${outside.origin}/${hops}/${at}`));
    expect(await refusedUrls(world, urls)).toEqual([...all.keys()]);
    expect(await unfetched(world, project_id, urls)).toEqual([...all.keys()]);
  }
  expect(connections).toBe(0);
});

test('a name that is answered with such an address beside a public one is not connected to', async () => {
  const lookup = async (host: string) => {
    const [, address] = names[Number(/\d+/.exec(host)![0])]!;
    return [
      { address: '93.184.216.34', family: 4 },
      { address, family: address.includes(':') ? 6 : 4 },
    ];
  };
  await using world = await createWorld({ outside: { lookup } });
  const { project_id } = await createProject(world);
  const urls = names.map((_, at) => `http://files-${at}.example.com:${port}/x`);
  expect(await refusedUrls(world, urls)).toEqual([...names.keys()]);
  expect(await unfetched(world, project_id, urls)).toEqual([...names.keys()]);
  expect(connections).toBe(0);
});

test('the same server counts a connection where the service was started with its host allowed', async () => {
  await using world = await createWorld({ outside: { allow: [`127.0.0.1:${port}`] } });
  expect(await refusedUrls(world, [`http://127.0.0.1:${port}/x`])).toEqual([0]);
  expect(connections).toBe(1);
  expect(await unfetched(world, (await createProject(world)).project_id, [`http://127.0.0.1:${port}/x`])).toEqual([0]);
  expect(connections).toBe(2);
});
