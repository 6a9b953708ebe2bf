import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourcesSchema } from '../../config/sources-schema.ts';
import { createLanding } from '../../landing/landing.ts';
import type { RemoteFile } from '../../pipelines/source-spec.ts';
import { serveFile } from '../support/file-server.ts';
import { spellings } from '../support/spellings.ts';

const signal = new AbortController().signal;

/** Hosts that mean this machine, as a URL has them. */
const here = /^(?:127\.|0\.0\.0\.0$|\[::1\]$|\[::ffff:7f|localhost\.?$)/;

/**
 * Tries every spelling of an address that is not public, at once and behind redirects of a web server and of a storage. Returns how many
 * were tried, what arrived at a server that listens on all addresses of this machine, and what arrives there of as many as mean it where
 * their hosts are allowed.
 */
export async function tryToReach(hops: readonly number[]) {
  const root = await mkdtemp(join(tmpdir(), 'portolan-reach-'));
  let connections = 0;
  const inside = createServer((socket) => (connections++, socket.destroy())).listen(0, '::');
  await once(inside, 'listening');
  const { port } = inside.address() as AddressInfo;
  await using outside = await serveFile(Buffer.from('x'));
  const urls = spellings(port);
  const land = (file: RemoteFile, allow: string[] = []): Promise<string> =>
    createLanding({
      root,
      allow: [new URL(outside.origin).host, ...allow],
      // Names such as `localhost.` mean this machine on some systems, and nothing on others.
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
      mostBytes: 1e6,
      pausesMs: [],
      secret: async () => 'x',
      storages: sourcesSchema.parse({ s3: { here: { endpoint: outside.origin } } }).s3,
    })(file, { signal }).then(
      () => 'fetched',
      (error: Error) => error.name,
    );
  const behind = (count: number, to: string): void =>
    outside.twist(({ url = '' }, response) => {
      const left = /hop=(\d+)/.exec(url)?.[1] ?? String(count);
      const location = Number(left) > 1 ? `/x?hop=${Number(left) - 1}` : Buffer.from(to).toString('latin1');
      return (response.writeHead(302, { location }).end(), true);
    });
  let tried = 0;
  const answers = new Map<string, number>();
  const attempt = async (file: RemoteFile): Promise<void> => {
    tried += 1;
    const answer = await land(file);
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  };
  for (const count of hops)
    for (const url of urls) {
      behind(count, url);
      await attempt(count === 0 ? url : `${outside.origin}/x`);
      if (count > 0) await attempt('s3://acme/x');
    }
  const arrived = connections;
  const reachable = urls.filter((url) => URL.canParse(url) && here.test(new URL(url).hostname));
  for (const url of reachable) await land(url, [new URL(url).host]);
  const allowed = connections - arrived;
  await new Promise((closed) => void inside.close(closed));
  await rm(root, { recursive: true, force: true });
  return { spellings: new Set(urls).size, tried, arrived, answers: Object.fromEntries(answers), reachable: reachable.length, allowed };
}
