import { zstdDecompressSync } from 'node:zlib';
import { CompressionType, compressionRegistry } from 'apache-arrow';
import { HttpError } from '../errors.ts';

let budget = 0;

const spend = (bytes: Uint8Array): Uint8Array => {
  budget -= bytes.byteLength;
  return bytes;
};

compressionRegistry.set(CompressionType.ZSTD, {
  decode: (data) => spend(zstdDecompressSync(data, { maxOutputLength: Math.max(1, budget) })),
});

compressionRegistry.set(CompressionType.LZ4_FRAME, {
  decode() {
    throw new HttpError(422, [
      { loc: ['body'], msg: 'LZ4 buffers are not read by this service; send ZSTD or uncompressed Arrow', type: 'value_error' },
    ]);
  },
});

/** Runs a synchronous decoding in which all compressed buffers together may grow to `bytes` at most. */
export const withinBudget = <T>(bytes: number, decode: () => T): T => {
  budget = bytes;
  return decode();
};
