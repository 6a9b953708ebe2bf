import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EmbedderOptions } from '../../service/engine/embedding/provider.ts';

/** The same few numbers for the same text. */
const vectorOf = (text: string): number[] => Array.from(createHash('sha256').update(text).digest().subarray(0, 16), (byte) => byte - 127.5);

/** An embedding endpoint that holds its answers back, or refuses, on request: what embeds, such as a build, stands still until it is released, or fails. */
export const startEmbeddingEndpoint = async () => {
  let left = Infinity;
  let refuses = false;
  let gate = Promise.withResolvers<void>();
  let reached = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const { input } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { input: string[] };
    left -= 1;
    if (left < 0) {
      reached.resolve();
      await gate.promise;
    }
    response.setHeader('content-type', 'application/json');
    if (refuses) return void response.writeHead(400).end('{"error": "refused"}');
    response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    embedding: { provider: 'openai', url, model: 'm', timeoutMs: 600_000 } satisfies EmbedderOptions,
    /** Answers so many requests from now and holds those after them. */
    holdAfter(requests: number): void {
      left = requests;
      gate = Promise.withResolvers();
      reached = Promise.withResolvers();
    },
    /** Once a request is held. */
    held: (): Promise<void> => reached.promise,
    /** Refuses every request from now on. */
    refuse(): void {
      refuses = true;
    },
    /** Answers again. */
    accept(): void {
      refuses = false;
    },
    release(): void {
      left = Infinity;
      gate.resolve();
    },
    async [Symbol.asyncDispose]() {
      gate.resolve();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
