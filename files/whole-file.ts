import { linkSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { link, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { threadId } from 'node:worker_threads';
import { makeFolder } from './make-folder.ts';

/** `mode` is of the new file. `synced: false` leaves it to the system when the bytes are on the disk: a power cut may take them. */
export type WriteOptions = { mode?: number | undefined; synced?: boolean | undefined };

/** Writes a file whole: temporary name, fsync, rename. Folders are made. What comes part by part is written as it comes. */
export async function writeWhole(
  path: string,
  content: string | Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>,
  { mode, synced = true }: WriteOptions = {},
): Promise<void> {
  const temporary = temporaryName(path);
  const file = await open(temporary, 'w', mode).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await makeFolder(dirname(path));
    return open(temporary, 'w', mode);
  });
  try {
    try {
      // Parts are written as they are: joining them would copy them once more.
      if (Array.isArray(content)) await writeParts(file, content as Uint8Array[]);
      else await file.writeFile(content as string | Uint8Array | AsyncIterable<Uint8Array>);
      if (synced) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    // On a full disk it would take the room that somebody makes.
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Writes parts one after the other. A write that stops early (a full disk) is continued, so that the system reports why it cannot. */
async function writeParts(file: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  if (parts.length === 0) return;
  const { bytesWritten } = await file.writev(parts as Uint8Array[]);
  const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
  if (bytesWritten < bytes) await file.writeFile(Buffer.concat(parts).subarray(bytesWritten));
}

/** Writes a file whole unless it is there already; whoever comes second leaves it as it is. Returns whether this was the first. */
export async function writeOnce(path: string, content: string, options: WriteOptions = {}): Promise<boolean> {
  const temporary = temporaryName(path);
  await writeWhole(temporary, content, options);
  try {
    // A rename would replace what another process has written and acts upon.
    await link(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await unlink(temporary);
  }
}

/** `writeWhole` for those who cannot wait; the folder is there. */
export function writeWholeSync(path: string, content: string, { synced = true }: Pick<WriteOptions, 'synced'> = {}): void {
  const temporary = temporaryName(path);
  writeFileSync(temporary, content, { flush: synced });
  renameSync(temporary, path);
}

/** `writeOnce` for those who cannot wait; the folder is there. */
export function writeOnceSync(path: string, content: string, { synced = true }: Pick<WriteOptions, 'synced'> = {}): boolean {
  const temporary = temporaryName(path);
  writeFileSync(temporary, content, { flush: synced });
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    unlinkSync(temporary);
  }
}

let serial = 0;

export const temporaryName = (path: string): string => `${path}.${process.pid}-${threadId}-${++serial}.tmp`;
