import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';

/** What becomes of one request: `forwarded` ones have their effect, the others never reach the service. */
export const answers = {
  'cut answer': 'forwarded',
  'delivered twice': 'forwarded',
  '502 with HTML': 'forwarded',
  '200 with HTML': 'kept back',
  '204': 'kept back',
  'redirect to another host': 'kept back',
} as const;
export type Answer = keyof typeof answers;

type Order = { nth: number; answer: Answer; fired: boolean };
type Cut = { afterBytes: number; do: 'reset' | 'stall'; fired: boolean };

const html = '<!doctype html><title>proxy</title><h1>Sign in to the network</h1>';

/** A proxy between a worker and the service, on two levels: bytes of its connections, and whole requests. */
export async function createProxy(target: () => string, elsewhere: string) {
  let requests = 0;
  let order: Order | undefined;
  let bytes = 0;
  let cut: Cut | undefined;
  const stalled: (() => void)[] = [];
  const open = new Set<Socket>();

  const forward = (request: IncomingMessage, body: Buffer): Promise<{ answer: IncomingMessage; body: Buffer }> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(target());
      const sent = httpRequest({ hostname, port, path: request.url, method: request.method, headers: request.headers }, (answer) => {
        whole(answer).then((all) => resolve({ answer, body: all }), reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const mine = order && ++requests === order.nth ? order : undefined;
    if (mine) mine.fired = true;
    const body = await whole(request);
    if (mine?.answer === '200 with HTML') return void response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    if (mine?.answer === '204') return void response.writeHead(204).end();
    if (mine?.answer === 'redirect to another host') return void response.writeHead(307, { location: `${elsewhere}${request.url}` }).end();
    const { answer, body: given } = await forward(request, body);
    if (mine?.answer === 'delivered twice') await forward(request, body);
    if (mine?.answer === '502 with HTML') return void response.writeHead(502, { 'content-type': 'text/html' }).end(html);
    response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
    if (mine?.answer === 'cut answer') {
      response.flushHeaders();
      response.write(given.subarray(0, given.length >> 1), () => response.socket?.resetAndDestroy());
      return;
    }
    response.end(given);
  };
  const http: Server = createHttpServer((request, response) => {
    respond(request, response).catch(() => response.socket?.resetAndDestroy());
  });
  const httpPort = await listen(http);

  const tcp: TcpServer = createTcpServer((client) => {
    const service = connect(httpPort, '127.0.0.1');
    const both = [client, service];
    for (const socket of both) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        for (const other of both) other.destroy();
      });
    }
    const pass = (from: Socket, to: Socket): void =>
      void from.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        const mine = cut && !cut.fired && bytes > cut.afterBytes ? cut : undefined;
        if (!mine) return void to.write(chunk);
        mine.fired = true;
        // The bytes before the position pass, those behind it do not.
        const rest = chunk.length - (bytes - mine.afterBytes);
        to.write(chunk.subarray(0, Math.max(0, rest)));
        if (mine.do === 'reset') for (const socket of both) socket.resetAndDestroy();
        else {
          from.pause();
          stalled.push(() => {
            to.write(chunk.subarray(Math.max(0, rest)));
            from.resume();
          });
        }
      });
    pass(client, service);
    pass(service, client);
  });
  const port = await listen(tcp);

  return {
    url: `http://127.0.0.1:${port}`,
    /** Bytes that passed, both ways, since the last order. */
    get bytes() {
      return bytes;
    },
    get requests() {
      return requests;
    },
    /** Orders what becomes of the nth request from now; without one only counts. */
    answer(wanted?: { nth: number; answer: Answer }): { readonly fired: boolean } {
      requests = 0;
      order = wanted ? { ...wanted, fired: false } : { nth: Infinity, answer: '204', fired: false };
      return order;
    },
    /** Orders a cut after so many bytes from now, both ways counted. */
    cut(afterBytes: number, what: Cut['do']): { readonly fired: boolean } {
      bytes = 0;
      cut = { afterBytes, do: what, fired: false };
      return cut;
    },
    count(): void {
      bytes = 0;
      cut = undefined;
    },
    /** Lets everything go that is stalled, and says how much that was. */
    release(): number {
      return stalled.splice(0).map((go) => go()).length;
    },
    async close(): Promise<void> {
      for (const socket of open) socket.destroy();
      await Promise.all([http, tcp].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

export type Proxy = Awaited<ReturnType<typeof createProxy>>;

/** Another host, to which an answer may point: it counts who comes, and who brings a key. */
export async function createStranger() {
  const seen = { requests: 0, keys: 0 };
  const server = createHttpServer((request, response) => {
    seen.requests++;
    if (request.headers.authorization !== undefined) seen.keys++;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const port = await listen(server);
  return {
    url: `http://localhost:${port}`,
    seen,
    close: (): Promise<unknown> => new Promise((resolve) => server.close(resolve)),
  };
}

const listen = (server: Server | TcpServer): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

async function whole(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
