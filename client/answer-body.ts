/** The answer is longer than its operation allows. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

/** A body whose reader fails with `TooLong` as soon as more than `most` bytes have come. */
export async function* bounded(body: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > most) throw new TooLong(`it is longer than ${most} bytes`);
    yield chunk;
  }
}

/** All of a body. */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The first bytes of a body as text; the rest is not read. */
export async function readStart(body: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= most) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, most));
}

/** A body whose failure to arrive is an error of the call. */
export async function* failing(
  body: AsyncIterable<Uint8Array>,
  as: (error: unknown) => Error,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        throw as(error);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}
