import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryName } from '../../../files/whole-file.ts';
import { HttpError } from '../../core/errors.ts';
import type { Records } from '../../core/records/database.ts';

export type FileRow = {
  file_id: string;
  organization_id: string;
  /** What its sender calls it. */
  name: string;
  content_type: string;
  /** Bytes that were announced. */
  size: number;
  /** Epoch milliseconds; `filled_at` null: its bytes have not come. */
  created_at: number;
  filled_at: number | null;
};

type NewFile = Pick<FileRow, 'organization_id' | 'name' | 'content_type' | 'size' | 'created_at'>;

export type Files = {
  add(files: readonly NewFile[]): FileRow[];
  get(fileId: string): FileRow | undefined;
  /** Where the bytes of a filled file stand. */
  pathOf(fileId: string): string;
  /** Keeps the bytes whole or not at all and returns their hex MD5; a repeat replaces them. 413 and 400 where they are not as many as announced. */
  fill(file: FileRow, body: AsyncIterable<Uint8Array>, at: number): Promise<string>;
  /** Drops what is older than `before` (epoch milliseconds) and not among those still needed. */
  sweep(before: number, needed: ReadonlySet<string>): Promise<void>;
};

/** Files that were uploaded to be parsed: each whole under its id, or not there. */
export function createFiles(folder: string, records: Records): Files {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pathOf = (fileId: string): string => join(folder, fileId);
  return {
    pathOf,
    add: (files) =>
      records.transaction(() =>
        files.map((file) => {
          const row: FileRow = { file_id: randomUUID(), ...file, filled_at: null };
          records.run(
            'INSERT INTO document_files (file_id, organization_id, name, content_type, size, created_at) VALUES (?, ?, ?, ?, ?, ?)',
            row.file_id,
            row.organization_id,
            row.name,
            row.content_type,
            row.size,
            row.created_at,
          );
          return row;
        }),
      ),
    get: (fileId) => records.get<FileRow>('SELECT * FROM document_files WHERE file_id = ?', fileId),
    async fill({ file_id, size }, body, at) {
      const path = pathOf(file_id);
      const temporary = temporaryName(path);
      const hash = createHash('md5');
      let sum = 0;
      const handle = await open(temporary, 'wx', 0o600);
      try {
        for await (const chunk of body) {
          sum += chunk.byteLength;
          if (sum > size) throw new HttpError(413, `the file is longer than the ${size} bytes that were announced; nothing of it was kept`);
          hash.update(chunk);
          await handle.writeFile(chunk);
        }
        if (sum < size)
          throw new HttpError(400, `the file ends after ${sum} of the ${size} bytes that were announced; nothing of it was kept`);
        await handle.sync();
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      } finally {
        await handle.close();
      }
      records.run('UPDATE document_files SET filled_at = ? WHERE file_id = ?', at, file_id);
      return hash.digest('hex');
    },
    async sweep(before, needed) {
      const kept = new Set<string>();
      for (const { file_id, created_at } of records.all<FileRow>('SELECT * FROM document_files'))
        if (created_at >= before || needed.has(file_id)) kept.add(file_id);
        else records.run('DELETE FROM document_files WHERE file_id = ?', file_id);
      for (const name of await readdir(folder))
        if (!kept.has(name) && !name.endsWith('.tmp')) await rm(join(folder, name), { force: true });
    },
  };
}
