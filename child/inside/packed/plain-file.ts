import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { fileHead } from '../formats/file-head.ts';
import { transcodeFile } from './transcode.ts';
import { packingOf, unpackedName, unpackFile, type Unpacked } from './unpack.ts';

/** A file as it is read: unpacked, and its text in UTF-8. */
export type PlainFile = { path: string; name: string; head: Buffer; bytes: number };

type Making = {
  /** Folder for what has to be made. */
  folder: string;
  encoding: string | undefined;
  so: Unpacked;
};

/** The file itself, or a copy of it that is neither packed nor in another encoding. */
export async function plainFile(path: string, { folder, encoding, so }: Making): Promise<PlainFile> {
  const made = (): string => join(folder, randomUUID());
  let plain = path;
  let { head, print } = await fileHead(path);
  const packing = packingOf(path, head);
  const name = packing ? unpackedName(path) : basename(path);
  if (packing) {
    await unpackFile(path, packing, (plain = made()), so);
    ({ head, print } = await fileHead(plain, basename(path)));
  }
  if (encoding !== undefined) {
    const from = plain;
    await transcodeFile(from, encoding, (plain = made()), so);
    ({ head, print } = await fileHead(plain, basename(path)));
  }
  return { path: plain, name, head, bytes: print.bytes };
}
