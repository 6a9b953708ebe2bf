import { open, mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file whole: temporary name, fsync, rename. Folders are made. */
export async function writeWhole(path: string, content: string | Uint8Array | readonly Uint8Array[]): Promise<void> {
  const temporary = temporaryName(path);
  const file = await open(temporary, 'w').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true });
    return open(temporary, 'w');
  });
  try {
    // Parts are written as they are: joining them would copy them once more.
    if (Array.isArray(content)) await file.writev(content as Uint8Array[]);
    else await file.writeFile(content as string | Uint8Array);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

let serial = 0;

export const temporaryName = (path: string): string => `${path}.${process.pid}-${++serial}.tmp`;
