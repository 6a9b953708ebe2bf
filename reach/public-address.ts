import { BlockList, isIPv4, isIPv6 } from 'node:net';

// IANA's registries of special-purpose addresses (IPv4, IPv6), and multicast.
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Within 2000::/3, outside of which nothing is public. */
const special6 = ['2001::/23', '2001:db8::/32', '3fff::/20'];

const blockList = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [network, bits] = range.split('/');
    list.addSubnet(network!, Number(bits), family);
  }
  return list;
};

const blocked4 = blockList(special4, 'ipv4');
const blocked6 = blockList(special6, 'ipv6');
const global6 = blockList(['2000::/3'], 'ipv6');

/** The eight groups of an IPv6 address without a zone. */
function groupsOf(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = '', tail] = hex.split('::');
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return groups(head);
  const [before, after] = [groups(head), groups(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

const ipv4 = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

/** The IPv4 address to which packets for an IPv6 address go in the end: NAT64 (RFC 6052) and 6to4 (RFC 3056). */
function carried(address: string): string | undefined {
  const [a, b, c, d, e, f, g, h] = groupsOf(address) as [number, number, number, number, number, number, number, number];
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) return ipv4(g, h);
  return a === 0x2002 ? ipv4(b, c) : undefined;
}

/** True of an address that belongs to the public internet: of none of this machine, a private network, a link, or a group. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !blocked4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  const inner = carried(address);
  if (inner !== undefined) return isPublic(inner);
  return global6.check(address, 'ipv6') && !blocked6.check(address, 'ipv6');
}
