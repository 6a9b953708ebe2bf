import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A proxy before one server: it holds answers back, breaks connections off, and may hide from both sides what version a file is of. */
export async function createTwistingProxy(upstream: string) {
  let blind = false;
  let held: Promise<void> | undefined;
  let before: ((path: string) => Promise<void>) | undefined;
  const open = new Set<Socket>();
  let requests = 0;
  let most = Infinity;
  let bytes = 0;
  const hidden = (headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders =>
    blind ? Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))) : headers;
  /** Passes pieces on, so many bytes of one answer where that is said: it then stands still until it is broken off. */
  async function* passed(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let left = most;
    for await (const piece of pieces) {
      while (held) await held;
      const part = piece.subarray(0, left);
      left -= part.byteLength;
      bytes += part.byteLength;
      yield part;
      if (left === 0) await new Promise<never>(() => undefined);
    }
  }
  const server = createServer((incoming, outgoing) => {
    requests += 1;
    void (async () => {
      await before?.(incoming.url!);
      const headers = hidden(incoming.headers, ['if-match', 'if-none-match']);
      const asked = request(`${upstream}${incoming.url}`, { headers, agent: false });
      outgoing.on('close', () => asked.destroy());
      asked.end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      outgoing.writeHead(answer.statusCode!, { ...hidden(answer.headers, ['last-modified']), ...(blind && { etag: '"hidden"' }) });
      outgoing.flushHeaders();
      await pipeline(answer, passed, outgoing);
    })().catch(() => outgoing.destroy());
  }).on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    /** Bytes of bodies that were passed on. */
    bytes: () => bytes,
    /** Neither side sees tags or conditions any more. */
    hideVersions: () => void (blind = true),
    /** Of each answer from now on. */
    passAtMost: (count: number) => void (most = count),
    before: (next: typeof before) => void (before = next),
    /** Nothing more is passed on until `act` is over, then every connection is reset. Returns how many were open. */
    async breakOff(act: () => Promise<void> = async () => undefined): Promise<number> {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      await act();
      const found = [...open];
      for (const socket of found) socket.resetAndDestroy();
      held = undefined;
      resolve();
      return found.length;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => void server.close(closed));
    },
  };
}

export type TwistingProxy = Awaited<ReturnType<typeof createTwistingProxy>>;
