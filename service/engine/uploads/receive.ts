import { HttpError } from '../../core/errors.ts';
import type { Sink, Written } from './writers.ts';

/** Bytes that go to the writer at once: a message costs as much as copying some ten KiB. */
const BATCH_BYTES = 256 * 1_024;

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });

/** Hands a body to a file and returns its size and MD5 (hex); 413 as soon as it is longer than `length`. The file is closed in any case. */
export const receive = async (body: AsyncIterable<Uint8Array>, sink: Sink, length: number, signal: AbortSignal): Promise<Written> => {
  // A sender that went silent must not hold up whoever aborts.
  const aborted = rejection(signal);
  aborted.catch(() => undefined);
  const chunks = body[Symbol.asyncIterator]();
  let size = 0;
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), aborted]);
      if (next.done) break;
      const chunk = next.value;
      size += chunk.byteLength;
      if (size > length) throw new HttpError(413, `the part is longer than its ${length} bytes; nothing of it was kept`);
      batch.push(chunk);
      batchBytes += chunk.byteLength;
      if (batchBytes < BATCH_BYTES) continue;
      await sink.write(batch, batchBytes);
      batch = [];
      batchBytes = 0;
    }
    if (batchBytes > 0) await sink.write(batch, batchBytes);
  } catch (error) {
    void chunks.return?.();
    // The file is not given to anybody else while a write to it is under way.
    await sink.close().catch(() => undefined);
    throw error;
  }
  return sink.close();
};
