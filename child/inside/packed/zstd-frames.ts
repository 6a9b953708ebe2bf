import { fstatSync } from 'node:fs';
import { fileBytes } from '../../../arrow/bytes.ts';
import { BadInput } from '../../../errors/classes.ts';

/** Where a frame begins, and the byte behind it. */
export type Frame = { from: number; to: number };

const magic = 0xfd2fb528;
const isSkippable = (word: number): boolean => (word & 0xfffffff0) >>> 0 === 0x184d2a50;

/**
 * The frames of a zstd file (RFC 8878, 3.1), one after the other; those that a reader skips are left out. Node's decoder drops what
 * stands behind a frame in the bytes that it is given at once: it is given one frame at a time. Fails with `BadInput` where the file
 * ends within a frame, or something else follows.
 */
export function* zstdFrames(fd: number): Generator<Frame> {
  const file = fileBytes(fd);
  const { size } = fstatSync(fd);
  const need = (at: number, length: number): Buffer => {
    if (at + length > size) throw new BadInput('bad_input', 'is damaged zstd: it is cut off');
    return Buffer.from(file.read(at, length));
  };
  for (let at = 0; at < size;) {
    const word = need(at, 4).readUInt32LE();
    if (isSkippable(word)) {
      at += 8 + need(at + 4, 4).readUInt32LE();
      continue;
    }
    if (word !== magic) throw new BadInput('bad_input', `is damaged zstd: what stands at byte ${at} is no frame`);
    const from = at;
    const descriptor = need(at + 4, 1)[0]!;
    const single = (descriptor >> 5) & 1;
    const dictionary = [0, 1, 2, 4][descriptor & 3]!;
    const content = [single, 2, 4, 8][descriptor >> 6]!;
    at += 5 + (1 - single) + dictionary + content;
    for (let last = false; !last;) {
      const header = need(at, 3).readUIntLE(0, 3);
      last = (header & 1) === 1;
      // A block of one repeated byte holds that byte.
      at += 3 + (((header >> 1) & 3) === 1 ? 1 : header >> 3);
    }
    if ((descriptor >> 2) & 1) at += 4;
    need(at, 0);
    yield { from, to: at };
  }
}
