import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { BadInput } from '../../../errors/classes.ts';
import { fileHead, type FileHead } from '../formats/file-head.ts';
import { transcodeFile } from './transcode.ts';
import { packingOf, unpackedName, unpackFile, type Unpacked } from './unpack.ts';

/** A file as it is read: unpacked, and its text in UTF-8. */
export type PlainFile = { path: string; name: string; head: Buffer; bytes: number };

/** How the files of one request are made plain: the folder for what has to be made, and how much all of them have taken. */
export type Making = { folder: string; unpacked: Unpacked };

/** The file itself, or a copy of it that is neither packed nor in another encoding. Fails with `BadInput` that names the file. */
export async function plainFile(
  path: string,
  seen: FileHead,
  { folder, unpacked, encoding }: Making & { encoding: string | undefined },
): Promise<PlainFile> {
  const own = basename(path);
  let plain = { path, head: seen.head, bytes: seen.print.bytes };
  const make = async (write: (to: string) => Promise<void>): Promise<void> => {
    const to = join(folder, randomUUID());
    await write(to).catch((error: unknown) => {
      throw error instanceof BadInput ? new BadInput(error.verdict, `${own}: ${error.message}`) : error;
    });
    const { head, print } = await fileHead(to, own);
    plain = { path: to, head, bytes: print.bytes };
  };
  const packing = packingOf(path, seen.head);
  if (packing) await make((to) => unpackFile(path, packing, to, unpacked));
  if (encoding !== undefined) await make((to) => transcodeFile(plain.path, encoding, to, unpacked));
  return { ...plain, name: packing ? unpackedName(path) : own };
}
