import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** An answer as far as its headers; its body comes while it is read, as it was sent. */
export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  body: AsyncIterable<Uint8Array>;
  /** What has not come of the body is not wanted. */
  close(): void;
};

/** So many pieces wait for whoever reads them before the sender waits. */
const mostWaiting = 64;

/** Takes an answer in at once. Where its body breaks off, the pieces that had come are read first: a stream would drop them. */
export function takeIn(incoming: IncomingMessage): Answer {
  const pieces: Uint8Array[] = [];
  let over: { error?: Error } | undefined;
  let wake = (): void => undefined;
  const end = (error?: Error): void => {
    over ??= error ? { error } : {};
    wake();
  };
  incoming
    .on('data', (piece: Uint8Array) => {
      if (pieces.push(piece) >= mostWaiting) incoming.pause();
      wake();
    })
    .on('end', () => end())
    .on('error', end)
    .on('close', () => end(new Error('the connection ended')));
  async function* body(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = pieces.shift();
      if (next) {
        yield next;
      } else if (over) {
        if (over.error) throw over.error;
        return;
      } else {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        incoming.resume();
        await promise;
      }
    }
  }
  return { status: incoming.statusCode!, headers: incoming.headers, body: body(), close: () => void incoming.destroy() };
}
