import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of file versions: a file each, by the version's id, whole or not there. */
export type FileBytes = {
  /** Where the bytes of a version stand. */
  path(versionId: string): string;
  /** Keeps a file that is on the disk already, under the id of a version, in the place of the one that is there. */
  keep(from: string, versionId: string): void;
  /** The first bytes of a version. */
  head(versionId: string, count: number): Promise<Uint8Array>;
  remove(versionId: string): Promise<void>;
  /** Removes what no version names: a kill came between the bytes and their record. */
  tidy(isKnown: (versionId: string) => boolean): void;
};

export const createFileBytes = (dataDir: string): FileBytes => {
  const folder = join(dataDir, 'files');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = (versionId: string): string => join(folder, versionId);
  return {
    path,
    keep(from, versionId) {
      // Whole in the place of what may be there.
      linkSync(from, `${path(versionId)}.new`);
      renameSync(`${path(versionId)}.new`, path(versionId));
      const names = openSync(folder, 'r');
      fsyncSync(names);
      closeSync(names);
    },
    async head(versionId, count) {
      const file = await open(path(versionId), 'r');
      try {
        const { buffer, bytesRead } = await file.read(new Uint8Array(count), 0, count, 0);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    remove: (versionId) => rm(path(versionId), { force: true }),
    tidy(isKnown) {
      for (const name of readdirSync(folder)) if (!isKnown(name)) rmSync(path(name), { force: true });
    },
  };
};
