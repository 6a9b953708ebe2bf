import { open } from 'node:fs/promises';
import { AsyncByteQueue, RecordBatchFileWriter, type RecordBatch } from 'apache-arrow';

/** Keeps what a writer has made until it is taken. */
class Pending extends AsyncByteQueue {
  #made: Uint8Array[] = [];

  override write(bytes: Uint8Array): void {
    if (bytes.byteLength > 0) this.#made.push(bytes);
  }

  take(): Uint8Array[] {
    const made = this.#made;
    this.#made = [];
    return made;
  }
}

/**
 * Writes an Arrow IPC file batch by batch: a batch is on the disk when `write` returns. The library's own stream takes
 * batches without waiting for the disk, and a file of 1 GiB stood in memory whole. A file without batches is empty.
 * `sync`: a power cut takes none of it any more.
 */
export async function createArrowFile(
  path: string,
): Promise<{ write(batch: RecordBatch): Promise<void>; end(): Promise<void>; sync(): Promise<void> } & AsyncDisposable> {
  const file = await open(path, 'w');
  const pending = new Pending();
  const writer = new RecordBatchFileWriter().reset(pending);
  const save = async (): Promise<void> => {
    for (const part of pending.take()) await file.writeFile(part);
  };
  return {
    write: (batch) => (writer.write(batch), save()),
    end: () => (writer.close(), save()),
    sync: () => file.datasync(),
    [Symbol.asyncDispose]: () => file.close(),
  };
}
