import { zstdDecompressSync } from 'node:zlib';
import { CompressionType, compressionRegistry } from 'apache-arrow';
import { arrowLimits } from './arrow-limits.ts';
import { lz4Frame } from './lz4.ts';
import { damaged, tooLarge } from './verdict.ts';

/** One buffer of a record batch never needs more; a bomb ends here. */
const longestBuffer = arrowLimits.bufferMiB * 1024 * 1024;

/** Bytes that the buffers of a file may still take once decompressed. */
let left = Number.POSITIVE_INFINITY;

/** From here on all buffers that are decompressed may have `bytes` together; a new file sets it anew. */
export function limitDecoded(bytes: number): void {
  left = bytes;
}

/** ZSTD frame → bytes, at most `longest`. */
function zstdFrame(frame: Uint8Array, longest: number): Uint8Array {
  try {
    return zstdDecompressSync(frame, { maxOutputLength: longest });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(longest);
    throw error;
  }
}

/** Bytes before a frame that hold how long it is decompressed: int64, little-endian. */
const lengthBytes = 8;

/**
 * The length that stands before a frame (Arrow, RecordBatch.fbs: BodyCompression). The reader hands over what stands behind it, a view of
 * the whole buffer, and looks at the length no more: a frame whose damage made it longer would be read as other values.
 */
const statedLength = ({ buffer, byteOffset }: Uint8Array): number =>
  Number(new DataView(buffer, byteOffset - lengthBytes, lengthBytes).getBigInt64(0, true));

/** Lets the reader open compressed record batches; called once per process. */
export function registerCodecs(): void {
  const within = (decode: (data: Uint8Array, longest: number) => Uint8Array) => (data: Uint8Array) => {
    const longest = Math.min(longestBuffer, left);
    if (longest <= 0) throw tooLarge(0);
    const decoded = decode(data, longest);
    left -= decoded.byteLength;
    const stated = statedLength(data);
    // Arrow's writer for JavaScript puts the length of the frame there.
    if (![decoded.byteLength, data.byteLength].includes(stated))
      damaged(`a compressed buffer gives ${decoded.byteLength} bytes, and says that it has ${stated}`);
    return decoded;
  };
  compressionRegistry.set(CompressionType.ZSTD, { decode: within(zstdFrame) });
  compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: within(lz4Frame) });
}
