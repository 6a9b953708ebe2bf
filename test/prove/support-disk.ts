import { execFile } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const mount = (...args: string[]) => run('mount', args);

/** Why file systems cannot be made here; undefined where they can. */
export async function whyNoDisks(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `file systems in memory are made on Linux, not on ${process.platform}`;
  if (process.getuid?.() !== 0) return 'only root may mount file systems';
  return undefined;
}

/** A file system of its own in memory, at a folder. */
export async function createDisk(folder: string, size: string) {
  await mkdir(folder, { recursive: true });
  await mount('-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', folder);
  const ballast = join(folder, 'ballast');
  return {
    /** Takes every byte that is left. */
    async fill(): Promise<void> {
      await using file = await open(ballast, 'a');
      // Smaller and smaller pieces, down to a byte.
      for (let bytes = 1024 * 1024; bytes >= 1;) {
        try {
          const { bytesWritten } = await file.write(Buffer.alloc(bytes));
          if (bytesWritten < bytes) bytes = Math.floor(bytes / 2);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          bytes = Math.floor(bytes / 2);
        }
      }
    },
    empty: () => rm(ballast, { force: true }),
    /** The same disk over itself, to be read only: what is open already may be in the way of another mounting. */
    async readOnly(): Promise<void> {
      await mount('--bind', folder, folder);
      await mount('-o', 'remount,bind,ro', folder);
    },
    /** Another, empty disk over it: as where it is not mounted. */
    hide: () => mount('-t', 'tmpfs', 'tmpfs', folder),
    /** Takes away what was mounted over it. */
    show: () => run('umount', ['-l', folder]),
    async [Symbol.asyncDispose]() {
      await run('umount', ['-l', folder]).catch(() => undefined);
    },
  };
}

export type Disk = Awaited<ReturnType<typeof createDisk>>;
