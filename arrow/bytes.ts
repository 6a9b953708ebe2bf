import { fstatSync, readSync } from 'node:fs';
import { arrowLimits } from './arrow-limits.ts';
import { refuseArrow } from './verdict.ts';

const longest = arrowLimits.metadataMiB * 1024 * 1024;

/** The bytes of an Arrow file or stream, wherever they are. */
export type ArrowBytes = { readonly size: number; read(start: number, length: number): Uint8Array };

export const memoryBytes = (bytes: Uint8Array): ArrowBytes => ({
  size: bytes.byteLength,
  read: (start, length) => bytes.subarray(start, start + length),
});

/** The bytes of an open file. */
export const fileBytes = (fd: number): ArrowBytes => ({
  size: fstatSync(fd).size,
  read(start, length) {
    const bytes = new Uint8Array(length);
    let at = 0;
    while (at < length) {
      const read = readSync(fd, bytes, at, length - at, start + at);
      if (read === 0) break;
      at += read;
    }
    return bytes.subarray(0, at);
  },
});

/** Exactly so many bytes; fails with `BadInput` where there are fewer. */
export function readBytes(bytes: ArrowBytes, start: number, length: number, what: string): DataView {
  if (start < 0 || length <= 0 || length > longest) refuseArrow(`is not Arrow IPC: its ${what} has no sensible length`);
  const read = bytes.read(start, length);
  if (read.byteLength < length) refuseArrow(`is not Arrow IPC: its ${what} is cut off`);
  return new DataView(read.buffer, read.byteOffset, read.byteLength);
}
