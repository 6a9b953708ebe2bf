/** Addresses of this machine, of private networks, of links, of clouds' own services and of groups, in their usual spelling. */
const plain4 = [
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.254',
  '100.100.100.200',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.168.0.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
];

const plain6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '0000:0000:0000:0000:0000:0000:0000:0001',
  'fc00::1',
  'fd00:ec2::254',
  'fdff:ffff::1',
  'fe80::1',
  'fe80::a9fe:a9fe',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff05::2',
  '100::1',
  '2001:db8::1',
  '2001::1',
  '2001:10::1',
  '3fff::1',
  '64:ff9b:1::1',
  '5f00::1',
];

const bytesOf = (address: string): [number, number, number, number] => address.split('.').map(Number) as [number, number, number, number];
const numberOf = (address: string): number => bytesOf(address).reduce((sum, byte) => sum * 256 + byte, 0);
const hex = (n: number, digits = 2): string => n.toString(16).padStart(digits, '0');

/** One IPv4 address as `inet_aton` and browsers read it. */
const spelt4 = (address: string): string[] => {
  const [a, b, c, d] = bytesOf(address);
  const n = numberOf(address);
  return [
    String(n),
    `0x${hex(n, 8)}`,
    `0X${hex(n, 8).toUpperCase()}`,
    `0${n.toString(8)}`,
    [a, b, c, d].map((byte) => `0x${hex(byte)}`).join('.'),
    [a, b, c, d].map((byte) => `0${byte.toString(8)}`).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${b * 65_536 + c * 256 + d}`,
    `0x${hex(a)}.${b}.0${c.toString(8)}.${d}`,
    `${address}.`,
    [...address].map((character) => `%${hex(character.codePointAt(0)!)}`).join(''),
    // Full-width digits and ideographic full stops.
    [...address].map((character) => (character === '.' ? '。' : String.fromCodePoint(character.codePointAt(0)! + 0xfee0))).join(''),
  ];
};

/** One IPv4 address within IPv6. */
const carried4 = (address: string): string[] => {
  const [a, b, c, d] = bytesOf(address);
  const [high, low] = [hex(a) + hex(b), hex(c) + hex(d)];
  return [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `::${address}`,
    `::ffff:0:${address}`,
    `64:ff9b::${address}`,
    `64:ff9b::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2002:${high}:${low}:0:0:0:0:1`,
  ];
};

/** Spellings that a URL may have of addresses that are not public; `TypeError` is what those are to the URL parser that are none at all. */
export const spellings = (port: number): string[] => [
  ...plain4.map((address) => `http://${address}:${port}/x`),
  ...['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.0.1', '100.64.0.1', '0.0.0.0']
    .flatMap(spelt4)
    .map((address) => `http://${address}:${port}/x`),
  ...['127.1', '127.0.1', '0', '0x7f.1', '017700000001', '10.1', '192.168.1'].map((address) => `http://${address}:${port}/x`),
  ...plain6.map((address) => `http://[${address}]:${port}/x`),
  ...['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.0.1', '100.64.0.1']
    .flatMap(carried4)
    .map((address) => `http://[${address}]:${port}/x`),
  ...['localhost', 'LOCALHOST', 'localhost.', 'LocalHost.', 'loc%61lhost', 'ｌｏｃａｌｈｏｓｔ'].map((host) => `http://${host}:${port}/x`),
  `http:127.0.0.1:${port}/x`,
  `http:\\\\127.0.0.1:${port}\\x`,
  `http:///127.0.0.1:${port}/x`,
  `http://127.0.0.1:${port}#@example.com/`,
  `http://127.0.0.1:${port}?@example.com/`,
  `https://127.0.0.1:${port}/x`,
  `https://[::1]:${port}/x`,
];

/** What a name may be answered with. */
export const names: readonly [name: string, address: string][] = [...plain4, ...plain6, ...carried4('127.0.0.1')].map((address) => [
  'files.example.com',
  address,
]);
