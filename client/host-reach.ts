import { BlockList, isIP } from 'node:net';
import { onThisMachine } from '../text/this-machine.ts';

/** From where a host is reached: from everywhere, inside a network alone, on this machine alone. */
const reaches = ['everywhere', 'network', 'machine'] as const;
export type Reach = (typeof reaches)[number];

const machine = new BlockList();
machine.addSubnet('127.0.0.0', 8);
machine.addAddress('0.0.0.0');
machine.addAddress('::1', 'ipv6');
machine.addAddress('::', 'ipv6');

/** Private and shared networks, and addresses of one link (RFC 1918, 6598, 3927, 4193, 4291). */
const network = new BlockList();
for (const [address, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const)
  network.addSubnet(address, bits);
network.addSubnet('fc00::', 7, 'ipv6');
network.addSubnet('fe80::', 10, 'ipv6');

/** Names that no public server resolves: of one label, and of the domains kept for networks (RFC 6762, 8375). */
const networkName = /^[^.]+$|\.(?:internal|local|lan|home\.arpa)$/;

/** By the host name of a URL; a name that is resolved elsewhere counts as reached from everywhere. */
function reachOf(hostname: string): Reach {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  const version = isIP(host);
  if (version === 0)
    return onThisMachine.test(host) || host.endsWith('.localhost') ? 'machine' : networkName.test(host) ? 'network' : 'everywhere';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return machine.check(host, family) ? 'machine' : network.check(host, family) ? 'network' : 'everywhere';
}

/** Whether a host is reached by fewer than another one: what leads there at the word of the other one opens what is closed to it. */
export const isNearer = (hostname: string, than: string): boolean => reaches.indexOf(reachOf(hostname)) > reaches.indexOf(reachOf(than));
