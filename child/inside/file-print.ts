import { stat } from 'node:fs/promises';
import { BadInput } from '../../errors/classes.ts';
import type { FilePrint } from '../tables.ts';

export async function filePrint(file: string): Promise<FilePrint> {
  const { size: bytes, mtimeMs, ino } = await stat(file);
  return { file, bytes, mtimeMs, ino };
}

/** Fails with `BadInput` where a file is not the one of its print any more: what was read of it is of no one version. */
export async function checkPrint({ file, bytes, mtimeMs, ino }: FilePrint): Promise<void> {
  const now = await filePrint(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (now?.bytes !== bytes || now.mtimeMs !== mtimeMs || now.ino !== ino)
    throw new BadInput('bad_input', `${file} changes while it is read; run again when it is whole`);
}
