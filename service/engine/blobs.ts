import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../files/whole-file.ts';

/** Blobs of datasets: each a file by its hash, whole or not there. */
export type Blobs = {
  /** The hash of the bytes, and whether they were not there before. On disk when it returns. */
  add(project: string, bytes: Uint8Array): Promise<{ hash: string; fresh: boolean }>;
  /** Drops the blobs of a removed dataset. Repeatable. */
  drop(project: string): Promise<void>;
};

export const createBlobs = (dataDir: string): Blobs => {
  const folder = (project: string): string => join(dataDir, 'blobs', project);
  return {
    async add(project, bytes) {
      const hash = createHash('sha256').update(bytes).digest('hex');
      const path = join(folder(project), hash);
      const fresh = !existsSync(path);
      if (fresh) await writeWhole(path, bytes, { mode: 0o600 });
      return { hash, fresh };
    },
    drop: (project) => rm(folder(project), { recursive: true, force: true }),
  };
};
