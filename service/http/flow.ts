import type { IncomingMessage } from 'node:http';

/** Bytes that wait for their reader before the sender is held back, and at which it goes on. */
const MOST_WAITING = 512 * 1_024;
const GO_ON_AT = 128 * 1_024;

/**
 * The chunks of a request's body as they come in. A stream's own iterator stops and starts the socket for every 64 KiB,
 * so that a busy machine reads one chunk a turn; this one lets it flow until 512 KiB wait. A reader that stops leaves the
 * connection open.
 */
export async function* flow(incoming: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  const cutOff = (): Error | undefined => (incoming.complete ? undefined : new Error('the connection ended before the body did'));
  let over = incoming.readableEnded || incoming.destroyed;
  let failed = over ? cutOff() : undefined;
  let news = Promise.withResolvers<void>();
  const onData = (chunk: Uint8Array): void => {
    waiting.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MOST_WAITING) incoming.pause();
    news.resolve();
  };
  const onEnd = (): void => {
    over = true;
    news.resolve();
  };
  const onError = (error: Error): void => {
    failed = error;
    news.resolve();
  };
  const onClose = (): void => {
    failed ??= cutOff();
    onEnd();
  };
  incoming.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  try {
    for (;;) {
      const taken = waiting;
      waiting = [];
      for (const chunk of taken) {
        // Before it is given away: a reader may hand its bytes to another thread, and nothing is left here.
        bytes -= chunk.byteLength;
        yield chunk;
        if (bytes < GO_ON_AT && incoming.isPaused()) incoming.resume();
      }
      if (failed) throw failed;
      if (waiting.length > 0) continue;
      if (over) return;
      await news.promise;
      news = Promise.withResolvers<void>();
    }
  } finally {
    incoming.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
    incoming.pause();
  }
}
