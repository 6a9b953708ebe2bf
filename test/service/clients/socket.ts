import { connect } from 'node:net';

/** An answer as it came: nothing between the service and the test reads headers or bodies in its own way. */
export type RawAnswer = { status: number; headers: Readonly<Record<string, string>>; body: Buffer; json: any };

/** The chunks of a body that came in chunks. */
const unchunked = (body: Buffer): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const end = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, end), 16);
    if (size === 0) break;
    parts.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
};

const parse = (bytes: Buffer): RawAnswer => {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const rest = bytes.subarray(end + 4);
  const body = headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : rest;
  return {
    status: Number(first.split(' ')[1]),
    headers,
    body,
    json: headers['content-type'] === 'application/json' ? JSON.parse(body.toString()) : undefined,
  };
};

export type RawRequest = { method: string; path: string; headers?: Readonly<Record<string, string>>; body?: Uint8Array | string };

/** Sends one request over a socket of its own, with no header but those given, and reads to the end of the connection. */
export const sendRaw = (url: string, { method, path, headers = {}, body = '' }: RawRequest): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const bytes = Buffer.from(body as string);
    const sent = {
      host: `${hostname}:${port}`,
      connection: 'close',
      ...(method === 'GET' ? {} : { 'content-length': String(bytes.length) }),
    };
    const head = Object.entries({ ...sent, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const parts: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n`);
      socket.write(bytes);
    });
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.on('error', reject);
    socket.on('close', () => {
      try {
        resolve(parse(Buffer.concat(parts)));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
