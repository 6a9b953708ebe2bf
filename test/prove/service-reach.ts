import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createProject, createWorld, type World } from '../service/world.ts';
import { picture } from '../support/pictures.ts';
import { serveFile } from '../support/file-server.ts';
import { spellings } from '../support/spellings.ts';
import { line, type Line, type Proof } from './proof.ts';
import { tryToReach } from './support-reach.ts';

const hops = [0, 1, 2, 3];

/** Whether the service refuses each of these addresses, where it fetches what a request names. */
type Site = (world: World, urls: readonly string[]) => Promise<number>;

/** Images of an embedding: findings, one for each. */
const images: Site = async ({ service }, urls) => {
  const body = new URLSearchParams(urls.map((url): [string, string] => ['urls', url]));
  const headers = { authorization: `Bearer ${service.adminKeys.maps}` };
  const answer = await service.fetch(new Request('http://127.0.0.1/v1/embedding/image', { method: 'POST', headers, body }));
  const { detail } = (await answer.json()) as { detail: unknown[] };
  return answer.status === 422 ? detail.length : 0;
};

/** Documents: refused at once where they are no URL, otherwise a task that fails. */
const documents: Site = async ({ api }, urls) => {
  let refused = 0;
  for (const file_url of urls) {
    const { status, body } = await api.post('/v1/parse', { file_url });
    if (status === 422) {
      refused += 1;
      continue;
    }
    for (;;) {
      const { body: task } = await api.get(`/v1/status/${body.task_id}`);
      if (task.status === 'FAILED') refused += 1;
      if (task.status === 'FAILED' || task.status === 'COMPLETED') break;
      await pause(2);
    }
  }
  return refused;
};

/** Blobs of a dataset: null in the place of each, at most 512 in a call. */
const blobs: Site = async (world, urls) => {
  const { project_id } = await createProject(world);
  const body = new FormData();
  body.append('dataset_id', project_id);
  for (const url of urls) body.append('urls', url);
  const headers = { authorization: `Bearer ${world.service.adminKeys.maps}` };
  const answer = await world.service.fetch(new Request('http://127.0.0.1/v1/project/data/add/blobs', { method: 'POST', headers, body }));
  const { hashes } = (await answer.json()) as { hashes: (string | null)[] };
  return answer.status === 200 ? hashes.filter((hash) => hash === null).length : 0;
};

const sites: Readonly<Record<string, Site>> = {
  'images of an embedding': images,
  'blobs of a dataset': blobs,
  'documents that are parsed': documents,
};

/** Tries every spelling at a site of the service, at once and behind redirects. */
async function tryService(site: Site): Promise<{ tried: number; refused: number; arrived: number; allowed: number }> {
  let connections = 0;
  const inside = createServer((socket) => (connections++, socket.destroy())).listen(0, '::');
  await once(inside, 'listening');
  const { port } = inside.address() as AddressInfo;
  await using outside = await serveFile(await picture(0));
  const all = spellings(port);
  // `/HOPS/NUMBER` leads to that spelling behind so many redirects.
  outside.twist(({ url }, response) => {
    const [, left, at] = url!.split('/').map(Number) as [number, number, number];
    const spelling = all[at];
    if (spelling === undefined) response.writeHead(404).end();
    else response.writeHead(302, { location: left > 1 ? `/${left - 1}/${at}` : Buffer.from(spelling).toString('latin1') }).end();
    return true;
  });
  // Names such as `localhost.` mean this machine on some systems, and nothing on others.
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  let refused = 0;
  {
    await using world = await createWorld({ outside: { allow: [new URL(outside.origin).host], lookup } });
    for (const count of hops)
      refused += await site(
        world,
        all.map((url, at) => (count === 0 ? url : `${outside.origin}/${count}/${at}`)),
      );
  }
  const arrived = connections;
  await using allowing = await createWorld({ outside: { allow: [`127.0.0.1:${port}`] } });
  await site(allowing, [`http://127.0.0.1:${port}/x`]);
  const allowed = connections - arrived;
  await new Promise((closed) => void inside.close(closed));
  return { tried: hops.length * all.length, refused, arrived, allowed };
}

export const proof: Proof = {
  name: 'service-reach',
  sets: ['maps'],
  what: 'no spelling of an address that is not public is connected to from any of the five places that fetch what a request or a pipeline names',
  async run() {
    const lines: Line[] = [];
    const count = new Set(spellings(1)).size;
    lines.push(line('spellings of addresses that are not public', count, '≥ 150', count >= 150));
    for (const [name, site] of Object.entries(sites)) {
      const { tried, refused, arrived, allowed } = await tryService(site);
      lines.push(
        line(
          `${name}: tries at once and behind 1 to 3 redirects`,
          `${tried}, ${refused} refused, ${arrived} connections`,
          'all refused, 0 connections',
          refused === tried && arrived === 0,
        ),
        line(`${name}: control, where the host is allowed`, `${allowed} connections`, '≥ 1', allowed > 0),
      );
    }
    const { tried, arrived, answers, reachable, allowed } = await tryToReach(hops);
    const refused = (answers['NotFetched'] ?? 0) + (answers['TypeError'] ?? 0);
    lines.push(
      line(
        'sources of web servers and of storages: the same',
        `${tried}, ${refused} refused, ${arrived} connections`,
        'all refused, 0 connections',
        refused === tried && arrived === 0,
      ),
      line('sources: control, where their hosts are allowed', `${allowed} connections of ${reachable}`, 'all', allowed === reachable),
    );
    return lines;
  },
};
