import { spawnSync } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = { id: string; headers: IncomingHttpHeaders; body: string; path: string };

type Answer = (response: ServerResponse, received: Received) => void;

const taken: Answer = (response) => void response.end();

/** A receiver of webhooks on this machine. `answer`: what it answers, by default 200. */
export async function alertReceiver(): Promise<AlertReceiver> {
  const all: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const received = { id: String(request.headers['idempotency-key']), headers: request.headers, body, path: request.url! };
      all.push(received);
      receiver.answer(response, received);
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: AlertReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    all,
    answer: taken,
    of: (id) => all.filter((each) => each.id === id),
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds(all)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

export type AlertReceiver = {
  url: string;
  all: Received[];
  answer: Answer;
  of(id: string): Received[];
  /** Resolves when what was received is such. */
  until(holds: (all: readonly Received[]) => boolean): Promise<void>;
  close(): Promise<void>;
};

/** Whether the script of the docs, which shares no code with the product, takes a signature. */
export const isGenuine = ({ headers, body }: Pick<Received, 'headers' | 'body'>, secret: string): boolean =>
  spawnSync('python3', [new URL('../../docs/alerts/verify.py', import.meta.url).pathname, secret, String(headers['portolan-signature'])], {
    input: body,
  }).status === 0;
