import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What one request is answered with; nothing: the file, as a server with ranges sends it. */
export type Twist = (request: IncomingMessage, response: ServerResponse, serial: number) => boolean | void;

/**
 * A web server of one file, which tests twist: `twist` may answer a request itself, and says so by true. `file` may be replaced at any time;
 * its tag is of its bytes.
 */
export async function serveFile(initial: Uint8Array, { host = '127.0.0.1' } = {}) {
  let file = { bytes: initial, tag: '"1"' };
  let twist: Twist = () => undefined;
  const requests: { method: string; path: string; headers: IncomingMessage['headers'] }[] = [];
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    requests.push({ method: request.method!, path: request.url!, headers: request.headers });
    if (!twist(request, response, requests.length)) send(request, response, file);
  };
  const server = createServer(listener).on('connection', () => connections++);
  await new Promise<void>((listening) => void server.listen(0, host, listening));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    requests,
    connections: () => connections,
    twist: (next: Twist) => void (twist = next),
    replace: (bytes: Uint8Array, tag: string) => void (file = { bytes, tag }),
    file: () => file,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => void server.close(closed));
    },
  };
}

export type FileServer = Awaited<ReturnType<typeof serveFile>>;

/** Answers as a server with ranges and tags does. */
export function send(request: IncomingMessage, response: ServerResponse, { bytes, tag }: { bytes: Uint8Array; tag: string }): void {
  const { range, 'if-match': match, 'if-none-match': none } = request.headers;
  if (none === tag) return void response.writeHead(304, { etag: tag }).end();
  if (match !== undefined && match !== tag) return void response.writeHead(412).end();
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  const part = bytes.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, {
    etag: tag,
    'content-length': part.byteLength,
    ...(from > 0 && { 'content-range': `bytes ${from}-${bytes.byteLength - 1}/${bytes.byteLength}` }),
  });
  response.end(part);
}

/**
 * Sends the head and so many bytes of what is due, and ends the connection; where `came` is given it is reset once they have come, for a
 * reset takes what was not read yet.
 */
export function cutAfter(
  count: number,
  request: IncomingMessage,
  response: ServerResponse,
  file: { bytes: Uint8Array; tag: string },
  came?: (bytes: number) => Promise<void>,
): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const part = file.bytes.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, {
    etag: file.tag,
    'content-length': part.byteLength,
    ...(from > 0 && { 'content-range': `bytes ${from}-${file.bytes.byteLength - 1}/${file.bytes.byteLength}` }),
  });
  response.write(part.subarray(0, count));
  if (came) void came(Math.min(from + count, file.bytes.byteLength)).then(() => response.socket?.resetAndDestroy());
  else response.socket?.destroySoon();
}
