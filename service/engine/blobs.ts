import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../files/whole-file.ts';

/** Blobs of datasets: each a file by its hash, whole or not there. */
export type Blobs = {
  /** The hash of the bytes, and whether they, or a type that is given, were not there before. On disk when it returns. */
  add(project: string, bytes: Uint8Array, type?: string): Promise<{ hash: string; fresh: boolean }>;
  /** A blob as it is read, its bytes, and its type where one was given; undefined where there is none of that hash. */
  open(project: string, hash: string): { bytes: number; content: ReadableStream<Uint8Array>; type?: string } | undefined;
  has(project: string, hash: string): boolean;
  /** The file of a blob; undefined where there is none of that hash. */
  file(project: string, hash: string): string | undefined;
  /** The hashes of all blobs of a dataset. */
  hashes(project: string): Promise<Set<string>>;
  /** Drops the blobs of a removed dataset. Repeatable. */
  drop(project: string): Promise<void>;
};

/** Nothing else names a blob. */
const isHash = /^[0-9a-f]{64}$/;

/** The type of a blob stands beside it. */
const typeFile = (path: string): string => `${path}.type`;

const typeAt = (path: string): string | undefined => (existsSync(typeFile(path)) ? readFileSync(typeFile(path), 'utf8') : undefined);

export const createBlobs = (dataDir: string): Blobs => {
  const folder = (project: string): string => join(dataDir, 'blobs', project);
  return {
    async add(project, bytes, type) {
      const hash = createHash('sha256').update(bytes).digest('hex');
      const path = join(folder(project), hash);
      const fresh = !existsSync(path);
      if (fresh) await writeWhole(path, bytes, { mode: 0o600 });
      if (type === undefined || type === typeAt(path)) return { hash, fresh };
      await writeWhole(typeFile(path), type, { mode: 0o600 });
      return { hash, fresh: true };
    },
    has: (project, hash) => isHash.test(hash) && existsSync(join(folder(project), hash)),
    file: (project, hash) => (isHash.test(hash) && existsSync(join(folder(project), hash)) ? join(folder(project), hash) : undefined),
    hashes: async (project) => {
      const names = await readdir(folder(project)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      return new Set(names.filter((name) => isHash.test(name)));
    },
    open(project, hash) {
      const path = join(folder(project), hash);
      const found = isHash.test(hash) ? statSync(path, { throwIfNoEntry: false }) : undefined;
      if (!found) return undefined;
      const type = typeAt(path);
      const content = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
      return { bytes: found.size, content, ...(type !== undefined && { type }) };
    },
    drop: (project) => rm(folder(project), { recursive: true, force: true }),
  };
};
