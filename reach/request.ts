import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { NotFetched } from '../errors/classes.ts';
import { takeIn, type Answer } from './answer.ts';
import { checkedAddresses, type Reachable } from './checked-host.ts';

/** What every request keeps to. `stalledMs`: nothing moves for so long, and the connection is given up. */
export type Door = Reachable & { stalledMs?: number | undefined };

/** What is asked for: `headers` are for this address, and are worked out anew for each request; `place`: how messages call it. */
export type Target = { url: URL; place: string; headers: () => Promise<Record<string, string>> };

const mostHops = 10;
const connectMs = 10_000;

// Never a kept connection: it would lead where another check had allowed it to.
const protocols = {
  'http:': { send: httpRequest, agent: new HttpAgent({ keepAlive: false }) },
  'https:': { send: httpsRequest, agent: new HttpsAgent({ keepAlive: false }) },
} as const;

/**
 * One GET, with the redirects that it meets: each hop is checked as the first, and headers of the target go to its own origin alone. The
 * body is as it was sent, whatever its Content-Encoding. Fails with `NotFetched`, or with the error of the system, whose `code` says what
 * happened; so may the body.
 */
export async function get(target: Target, headers: Readonly<Record<string, string>>, door: Door, signal: AbortSignal): Promise<Answer> {
  let url = target.url;
  for (let hop = 0; hop <= mostHops; hop++) {
    const own = url.origin === target.url.origin ? await target.headers() : {};
    const answer = await send(url, { 'accept-encoding': 'identity', 'user-agent': 'portolan', ...own, ...headers }, door, signal);
    const to = answer.headers.location;
    if (to === undefined || ![301, 302, 303, 307, 308].includes(answer.status)) return answer;
    answer.close();
    if (!URL.canParse(to, url.href)) throw new NotFetched(`${named(url)} redirects to no URL`, 'name the address of the file itself');
    url = new URL(to, url.href);
  }
  throw new NotFetched(`${target.place} redirects more than ${mostHops} times`, 'name the address of the file itself');
}

/** An address in messages: what stands in a query may be secret. */
export const named = ({ origin, pathname }: URL): string => origin + pathname;

async function send(url: URL, headers: Record<string, string>, door: Door, signal: AbortSignal): Promise<Answer> {
  const { send: request, agent } = protocols[url.protocol as keyof typeof protocols] ?? {};
  if (!request || url.username !== '' || url.password !== '')
    throw new NotFetched(`a redirect leads to ${url.protocol}//…, or names a user`, 'name an http(s) address of the file itself');
  const addresses = await checkedAddresses(url, door);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const outgoing = request(url, {
    agent,
    headers,
    signal,
    // Nobody asks again what the name means.
    lookup: (_host, { all }, found) => (all ? found(null, addresses) : found(null, addresses[0]!.address, addresses[0]!.family)),
  });
  const giveUp = (code: string): void => void outgoing.destroy(Object.assign(new Error(code), { code }));
  outgoing.setTimeout(door.stalledMs ?? 60_000, () => giveUp('timeout'));
  outgoing.on('socket', (socket) => {
    const timer = setTimeout(() => giveUp('ECONNTIMEOUT'), connectMs);
    const done = (): void => clearTimeout(timer);
    socket.once('connect', done).once('close', done);
  });
  outgoing
    .on('error', reject)
    .on('response', (incoming) => resolve(takeIn(incoming)))
    .end();
  return promise;
}
