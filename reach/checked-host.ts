import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { NotFetched } from '../errors/classes.ts';
import { isPublic } from './public-address.ts';

export type Lookup = (host: string) => Promise<LookupAddress[]>;

const allOf = promisify(systemLookup);

/** All addresses that the system knows for a name. */
export const lookupAll: Lookup = (host) => allOf(host, { all: true, verbatim: true });

/** Who may be reached: everybody public, and the hosts of `allow`. `remedy`: how a host gets there. */
export type Reachable = {
  allow: readonly string[];
  lookup?: Lookup | undefined;
  remedy?: ((host: string) => string) | undefined;
};

const sourcesRemedy = (host: string): string =>
  `where a source belongs there, allow it in portolan.config.mts: sources: { allow: ['${host}'] }`;

/** True where the configuration names the host of a URL, by itself or with its port. */
const isAllowed = ({ hostname, port, protocol }: URL, allow: readonly string[]): boolean => {
  // A URL leaves out the port that its protocol has anyway.
  const withPort = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  return allow.some((each) => [hostname, withPort].includes(each.toLowerCase()));
};

/**
 * The addresses to which a request for a URL may connect: those that were checked, and no others, so that a name which is answered
 * otherwise a moment later leads nowhere else. Fails with `NotFetched` where one of them is not public and the configuration does not
 * allow the host.
 */
export async function checkedAddresses(
  url: URL,
  { allow, lookup = lookupAll, remedy = sourcesRemedy }: Reachable,
): Promise<LookupAddress[]> {
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(literal);
  const found = family === 0 ? await lookup(url.hostname) : [{ address: literal, family }];
  const inside = isAllowed(url, allow) ? undefined : found.find(({ address }) => !isPublic(address));
  if (inside)
    throw new NotFetched(
      `${url.host} is ${family === 0 ? `${inside.address}, which is ` : ''}no public address: nothing was sent there`,
      remedy(url.host),
    );
  return found;
}
