import { open, mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Syncs a finished temporary file and gives it its name: readers see the old file or the new one, never a part. */
export async function commitFile(temporary: string, path: string): Promise<void> {
  const file = await open(temporary, 'r+');
  await file.sync();
  await file.close();
  await rename(temporary, path);
}

/** Writes a file whole: temporary name, fsync, rename. Folders are made. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = temporaryName(path);
  const file = await open(temporary, 'w');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

let serial = 0;

export const temporaryName = (path: string): string => `${path}.${process.pid}-${++serial}.tmp`;
