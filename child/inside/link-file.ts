import { createReadStream, createWriteStream } from 'node:fs';
import { open, symlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FileType } from '../preview.ts';

const mark = Buffer.from('\uFEFF');

async function isMarked(path: string): Promise<boolean> {
  await using file = await open(path, 'r');
  const { buffer } = await file.read(Buffer.alloc(mark.length), 0, mark.length, 0);
  return buffer.equals(mark);
}

/** Gives the engine a file under a neutral name: by a link, or, where it begins with a mark that is no JSON, by a copy without it. */
export async function linkFile(path: string, type: FileType, link: string): Promise<void> {
  if (type !== 'json' || !(await isMarked(path))) return symlink(resolve(path), link);
  await pipeline(createReadStream(path, { start: mark.length }), createWriteStream(link));
}
