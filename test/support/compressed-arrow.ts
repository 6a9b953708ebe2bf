import { zstdCompressSync } from 'node:zlib';
import { CompressionType, RecordBatchFileWriter, compressionRegistry, tableFromIPC } from 'apache-arrow';

export type Codec = 'zstd' | 'lz4';

const BLOCK = 1 << 22;

const header = (): Buffer => {
  const bytes = Buffer.alloc(7);
  bytes.writeUInt32LE(0x184d2204, 0);
  // Version 1, independent blocks; 4 MiB blocks; the check byte is not looked at by the reader under test.
  bytes[4] = 0x60;
  bytes[5] = 0x70;
  return bytes;
};

const lengthBytes = (length: number): Buffer => {
  const more = Math.floor((length - 15) / 255);
  return Buffer.concat([Buffer.alloc(more, 255), Buffer.of((length - 15) % 255)]);
};

/** One block: a first literal, then as long a repeat of it as there is, then the rest as literals. */
const block = (data: Uint8Array): Buffer => {
  let run = 1;
  while (run < data.length && data[run] === data[0]) run += 1;
  const match = Math.min(run - 1, data.length - 12);
  if (match < 19) return Buffer.alloc(0);
  const rest = data.subarray(1 + match);
  const token = (literals: number, repeat: number): number => (Math.min(15, literals) << 4) | Math.min(15, repeat);
  return Buffer.concat([
    Buffer.of(token(1, match - 4), data[0]!, 1, 0),
    lengthBytes(match - 4),
    Buffer.of(token(rest.length, 0)),
    rest.length >= 15 ? lengthBytes(rest.length) : Buffer.alloc(0),
    rest,
  ]);
};

/** An LZ4 frame by the format's text: runs of one byte are compressed, all else is stored. */
export const lz4Compress = (data: Uint8Array): Uint8Array => {
  const parts: Uint8Array[] = [header()];
  for (let from = 0; from < data.length; from += BLOCK) {
    const piece = data.subarray(from, from + BLOCK);
    const packed = block(piece);
    const stored = packed.length === 0 || packed.length >= piece.length;
    const size = Buffer.alloc(4);
    size.writeUInt32LE(stored ? (piece.length | 0x80000000) >>> 0 : packed.length);
    parts.push(size, stored ? piece : packed);
  }
  parts.push(Buffer.alloc(4));
  return Buffer.concat(parts);
};

const types = { zstd: CompressionType.ZSTD, lz4: CompressionType.LZ4_FRAME };
const encoders = { zstd: (data: Uint8Array): Uint8Array => zstdCompressSync(data), lz4: lz4Compress };

/** The same Arrow IPC file with compressed buffers; those that would grow stay as they are. */
export const compressArrow = (file: Uint8Array, codec: Codec): Uint8Array => {
  const type = types[codec];
  const before = compressionRegistry.get(type);
  compressionRegistry.set(type, { ...before, encode: encoders[codec] });
  try {
    return RecordBatchFileWriter.writeAll(tableFromIPC(file), { compressionType: type }).toUint8Array(true);
  } finally {
    if (before) compressionRegistry.set(type, before);
  }
};
