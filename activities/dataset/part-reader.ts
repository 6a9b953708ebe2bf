import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { BadInput } from '../../errors/classes.ts';
import { shortageOf } from '../../errors/system.ts';
import type { FilePrint } from '../../child/tables.ts';

const blockBytes = 1024 * 1024;

/** Blocks that no part is using: fresh ones for each part would pile up faster than they are collected. */
const spare: Buffer[] = [];

/**
 * Opens a file for its parts. `read` streams one and throws `BadInput` where the file is not the one that was
 * planned: by its inode, size and time before and after, and by the CRC-32 of the part. The thread that sends it
 * computes the sum, and a SHA-256 takes more than twice as long.
 */
export async function openParts(print: FilePrint, partSize: number) {
  const handle = await open(print.file, 'r').catch((error: NodeJS.ErrnoException) => {
    throw shortageOf(error) ?? new BadInput('bad_input', `${print.file} cannot be read any more (${error.code})`);
  });
  const changed = (how: string): BadInput =>
    new BadInput(
      'bad_input',
      `${print.file} changed while it was sent (${how}); nothing of it was added. Run again with the file as it is`,
    );

  const check = async (): Promise<void> => {
    const { size, mtimeMs, ino } = await handle.stat();
    if (size !== print.bytes) throw changed(`${print.bytes} bytes at first, ${size} now`);
    if (ino !== print.ino) throw changed('another file stands under its name');
    if (mtimeMs !== print.mtimeMs) throw changed(`written at ${new Date(mtimeMs).toISOString()}`);
  };

  return {
    /** Bytes of part `part` (from 1). */
    bytesOf: (part: number): number => Math.min(print.bytes, part * partSize) - (part - 1) * partSize,

    async *read(part: number, expected: number): AsyncGenerator<Uint8Array, void, undefined> {
      const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
      try {
        await check();
        let crc = 0;
        const end = Math.min(print.bytes, part * partSize);
        for (let at = (part - 1) * partSize; at < end;) {
          const { bytesRead } = await handle.read(buffer, 0, Math.min(blockBytes, end - at), at);
          if (bytesRead === 0) throw changed('it is shorter now');
          const block = buffer.subarray(0, bytesRead);
          crc = crc32(block, crc);
          at += bytesRead;
          // The last block goes only when the whole part is known to be right.
          if (at >= end) {
            await check();
            if (crc !== expected) throw changed(`part ${part} holds other bytes`);
          }
          yield block;
        }
      } finally {
        spare.push(buffer);
      }
    },

    [Symbol.asyncDispose]: () => handle.close(),
  };
}
