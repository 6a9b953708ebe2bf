import { HttpError } from '../core/errors.ts';

/** Largest body that is read: public clients send shards of 20 MB and more. */
export const MAX_BODY_BYTES = 64 * 1_024 * 1_024;

/** The whole body, or 413 as soon as it is known to be too large. `promised`: its content-length. */
export const readBody = async (body: AsyncIterable<Uint8Array>, promised: string | null): Promise<Uint8Array<ArrayBuffer>> => {
  const tooLarge = new HttpError(413, `body above ${MAX_BODY_BYTES} bytes: send smaller shards`);
  if (Number(promised ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLarge;
    parts.push(part);
  }
  return Buffer.concat(parts, size);
};
