import { DatabaseSync } from 'node:sqlite';

export type UploadRow = {
  upload_id: string;
  object_id: string;
  project_id: string;
  file_type: string;
  file_size: number;
  part_size: number;
  /** Epoch milliseconds. */
  created_at: number;
};

/** An acknowledged part: its size in bytes, the hex MD5 that its ETag quotes, and the file that holds it. */
export type PartRow = { part_number: number; size: number; md5: string; file: string };

export type UploadRecords = {
  add(upload: UploadRow): void;
  get(uploadId: string): UploadRow | undefined;
  parts(uploadId: string): PartRow[];
  part(uploadId: string, partNumber: number): PartRow | undefined;
  /** Replaces the former record of this part. */
  setPart(uploadId: string, part: PartRow): void;
  list(): UploadRow[];
  remove(uploadId: string): void;
  close(): void;
};

/**
 * Uploads and their acknowledged parts. A commit is in the system's hands before it is answered, so kill -9 loses
 * nothing; a power cut may lose the last ones, as it may lose the bytes of the parts themselves, and the file stays whole.
 */
export const openUploadRecords = (file: string): UploadRecords => {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
    CREATE TABLE IF NOT EXISTS uploads (upload_id TEXT PRIMARY KEY, object_id TEXT NOT NULL, project_id TEXT NOT NULL, file_type TEXT NOT NULL,
      file_size INTEGER NOT NULL, part_size INTEGER NOT NULL, created_at REAL NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS parts (upload_id TEXT NOT NULL REFERENCES uploads (upload_id) ON DELETE CASCADE, part_number INTEGER NOT NULL, size INTEGER NOT NULL,
      md5 TEXT NOT NULL, file TEXT NOT NULL, PRIMARY KEY (upload_id, part_number)) STRICT, WITHOUT ROWID;`);
  const sql = {
    add: db.prepare('INSERT INTO uploads VALUES (?, ?, ?, ?, ?, ?, ?)'),
    get: db.prepare('SELECT * FROM uploads WHERE upload_id = ?'),
    parts: db.prepare('SELECT part_number, size, md5, file FROM parts WHERE upload_id = ? ORDER BY part_number'),
    part: db.prepare('SELECT part_number, size, md5, file FROM parts WHERE upload_id = ? AND part_number = ?'),
    setPart: db.prepare('INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?)'),
    list: db.prepare('SELECT * FROM uploads'),
    remove: db.prepare('DELETE FROM uploads WHERE upload_id = ?'),
  };
  return {
    add: (row) =>
      void sql.add.run(row.upload_id, row.object_id, row.project_id, row.file_type, row.file_size, row.part_size, row.created_at),
    get: (uploadId) => sql.get.get(uploadId) as UploadRow | undefined,
    parts: (uploadId) => sql.parts.all(uploadId) as PartRow[],
    part: (uploadId, partNumber) => sql.part.get(uploadId, partNumber) as PartRow | undefined,
    setPart: (uploadId, { part_number, size, md5, file }) => void sql.setPart.run(uploadId, part_number, size, md5, file),
    list: () => sql.list.all() as UploadRow[],
    remove: (uploadId) => void sql.remove.run(uploadId),
    close: () => db.close(),
  };
};
