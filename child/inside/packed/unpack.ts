import { createReadStream, createWriteStream } from 'node:fs';
import { open, writeFile, type FileHandle } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { BadInput } from '../../../errors/classes.ts';
import { zstdFrames, type Frame } from './zstd-frames.ts';

export type Packing = {
  name: string;
  ending: string;
  magic: Buffer;
  unpack: () => Transform;
  /** Parts of a file that are unpacked each by itself. */
  parts: (file: FileHandle) => Iterable<Frame>;
};

const whole = [{ from: 0, to: Infinity }];

/** How one file may be packed; archives of several files are no tables. */
const packings: readonly Packing[] = [
  { name: 'gzip', ending: '.gz', magic: Buffer.from([0x1f, 0x8b]), unpack: () => createGunzip(), parts: () => whole },
  {
    name: 'zstd',
    ending: '.zst',
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    unpack: () => createZstdDecompress(),
    parts: ({ fd }) => zstdFrames(fd),
  },
];

/** A file's name without the ending of its packing: what says of which type its contents are. */
export const unpackedName = (path: string): string => {
  const name = basename(path);
  return packings.some(({ ending }) => ending === extname(name).toLowerCase()) ? name.slice(0, -extname(name).length) : name;
};

/** How a file is packed, by its first bytes; undefined where it is not. Fails with `BadInput` where its name says that it is. */
export function packingOf(path: string, head: Buffer): Packing | undefined {
  const seen = packings.find(({ magic }) => head.subarray(0, magic.length).equals(magic));
  const claimed = packings.find(({ ending }) => ending === extname(path).toLowerCase());
  if (claimed && !seen) throw new BadInput('bad_input', `${basename(path)}: is not ${claimed.name}, whatever its name says`);
  return seen;
}

/** What a request has unpacked so far, all of its files together, and what it may. */
export type Unpacked = { tempGiB: number; bytes: number; reported: number; report: (bytes: number) => void };

const reportBytes = 16 * 1024 * 1024;

/** Counts bytes that were unpacked. Fails with `BadInput` where all files of the request together are larger than the temporary files of one may be. `how`: as what they are, and the remedy. */
export function countUnpacked(unpacked: Unpacked, bytes: number, how: string): void {
  unpacked.bytes += bytes;
  if (unpacked.bytes - unpacked.reported >= reportBytes) {
    unpacked.report(unpacked.bytes - unpacked.reported);
    unpacked.reported = unpacked.bytes;
  }
  if (unpacked.bytes > unpacked.tempGiB * 1024 ** 3) throw new BadInput('too_large', `is more than ${unpacked.tempGiB} GiB ${how}`);
}

/** Passes bytes on as long as there may be more of them. */
export const fence = (unpacked: Unpacked, how: string): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        countUnpacked(unpacked, chunk.length, how);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });

/** An error of a library as a verdict on the file; undefined where it is none. */
function damage(error: unknown, { name }: Packing): BadInput | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined || !/^(Z_|ZSTD_)/.test(code)) return undefined;
  return new BadInput('bad_input', code === 'Z_BUF_ERROR' ? `is damaged ${name}: it is cut off` : `is damaged ${name}: ${message}`);
}

/** Unpacks a file to another place. Fails with `BadInput` where it is damaged, or larger than what one request may unpack. */
export async function unpackFile(path: string, packing: Packing, to: string, unpacked: Unpacked): Promise<void> {
  await writeFile(to, '');
  await using file = await open(path, 'r');
  try {
    for (const { from, to: end } of packing.parts(file)) {
      const packed = createReadStream(path, { start: from, end: end - 1, highWaterMark: 1 << 20 });
      const bounded = fence(unpacked, 'unpacked; unpack it and cut it into several files');
      await pipeline(packed, packing.unpack(), bounded, createWriteStream(to, { flags: 'a' }));
    }
  } catch (error) {
    throw damage(error, packing) ?? error;
  }
}
