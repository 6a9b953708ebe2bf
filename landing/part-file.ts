import { createHash, type Hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { mkdir, open, readFile, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeWhole } from '../files/whole-file.ts';

/** So many bytes are on the disk before it is recorded that they are. */
const markBytes = 32 * 1024 * 1024;

/** A file as far as it has come. Two writers of one path write the same bytes at the same places, so neither waits for the other. */
export type PartFile = AsyncDisposable & {
  readonly path: string;
  readonly bytes: number;
  write(chunk: Uint8Array): Promise<void>;
  /** Puts on the disk what was written and records how much that is: the next one goes on from there. */
  mark(): Promise<void>;
  /** What was written, from its first byte. */
  sha256(): string;
};

const markOf = (path: string): string => `${path}.mark`;

/** Opens a part, from what an earlier one has put on the disk on. */
export async function openPart(path: string): Promise<PartFile> {
  await mkdir(dirname(path), { recursive: true });
  const marked = Number(await readFile(markOf(path), 'utf8').catch(() => '0'));
  const file: FileHandle = await open(path, constants.O_RDWR | constants.O_CREAT);
  const hash: Hash = createHash('sha256');
  let bytes = 0;
  if (marked > 0 && (await file.stat()).size >= marked)
    for await (const chunk of createReadStream(path, { end: marked - 1 }) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      bytes += chunk.byteLength;
    }
  let next = bytes + markBytes;
  const mark = async (): Promise<void> => {
    await file.datasync();
    await writeWhole(markOf(path), String(bytes));
    next = bytes + markBytes;
  };
  return {
    path,
    get bytes() {
      return bytes;
    },
    async write(chunk) {
      for (let written = 0; written < chunk.byteLength;)
        written += (await file.write(chunk, written, chunk.byteLength - written, bytes + written)).bytesWritten;
      hash.update(chunk);
      bytes += chunk.byteLength;
      if (bytes >= next) await mark();
    },
    mark,
    sha256: () => hash.copy().digest('hex'),
    [Symbol.asyncDispose]: () => file.close(),
  };
}

export async function removePart(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(markOf(path), { force: true });
}
