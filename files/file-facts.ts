import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Size and sha256 of a file's bytes, read piece by piece until `signal`. Errors are those of the system, and the signal's reason. */
export async function fileFacts(path: string, { signal }: { signal?: AbortSignal } = {}): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    signal?.throwIfAborted();
    hash.update(chunk);
    bytes += chunk.byteLength;
  }
  return { bytes, sha256: hash.digest('hex') };
}
