import { isoTime, type Clock } from '../../core/clock.ts';
import type { Faults } from '../../core/faults.ts';
import { newId } from '../../core/new-id.ts';
import type { Records } from '../../core/records/database.ts';
import { createFileBytes } from './bytes.ts';
import { createFolders, type Folders, type Owner } from './folders.ts';
import { createIngest } from './ingest.ts';
import { isIngested } from './kinds.ts';

/** A file of the temporary folder that nobody launches is discarded after so long (assumption). */
export const temporaryFileSeconds = 24 * 3_600;
const SWEEP_MS = 60_000;

export type FileRow = {
  id: string;
  organization_id: string;
  user_id: string;
  parent_id: string | null;
  name: string;
  mime_type: string;
  /** `processing`, `ready`, `failed`. */
  status: string;
  fault: string | null;
  /** The latest version. */
  version_id: string;
  created_at: string;
};

export type FileVersion = { id: string; fileId: string; name: string; mimeType: string; bytes: number; path: string };

type NewFile = { name: string; mimeType: string; parentId: string | null; sha256: string; bytes: number };

/** Files of the instance API: what operations, agents and parse tasks have of them. */
export type Files = {
  folders: Folders;
  /** Files that a user may read, SQL behind `SELECT … FROM files`: three values, from `reading`. */
  readable: string;
  reading(owner: Owner): [string, string, number];
  /** A file that the user may read. */
  find(owner: Owner, id: string): FileRow | undefined;
  /** Files by their ids and by those of folders, in that order; `missing`: ids of neither, or that the user may not read. */
  findAll(owner: Owner, ids: readonly string[]): { files: FileRow[]; missing: string[] };
  /** A version of a file that the user may read, and where its bytes stand. */
  version(owner: Owner, versionId: string): FileVersion | undefined;
  /**
   * Adds a file whose bytes `keep` has put in place, or the next version of it. The same bytes again are the version that is there, whose
   * day in the temporary folder begins anew. Call inside a transaction.
   */
  add(owner: Owner, file: NewFile, keep: (versionId: string) => void): { row: FileRow; changed: number };
  /** Keeps bytes that are on the disk for a version. */
  keep(from: string, versionId: string): void;
  /** Begins the ingest of a file whose record is written. */
  ingest(row: FileRow): void;
  /** Moves files of temporary folders to the folder of an agent's session, where they stay; call inside a transaction. */
  adopt(owner: Owner, ids: readonly string[], sessionId: string): void;
  /** Gives up files that sessions had adopted and nobody reads any more: they are gone, and their bytes with the next sweep; call inside a transaction. */
  orphan(ids: readonly string[]): void;
  /** Discards what has outlived the temporary folder. */
  sweep(): Promise<void>;
  resume(): void;
  close(): Promise<void>;
};

export const createFiles = ({
  records,
  clock,
  dataDir,
  reach,
}: {
  records: Records;
  clock: Clock;
  dataDir: string;
  reach: Faults['reach'];
}): Files => {
  const bytes = createFileBytes(dataDir);
  const folders = createFolders(records);
  const ingest = createIngest(records, bytes, reach);
  bytes.tidy(
    (id) =>
      records.get(
        'SELECT 1 AS known FROM file_versions JOIN files ON files.id = file_id WHERE file_versions.id = ? AND discarded_at IS NULL',
        id,
      ) !== undefined,
  );

  const readable = 'user_id = ? AND organization_id = ? AND discarded_at IS NULL AND coalesce(expires_at, 1e300) > ?';
  const reading: Files['reading'] = ({ userId, organizationId }) => [userId, organizationId, clock.now()];
  const find: Files['find'] = (owner, id) =>
    records.get<FileRow>(`SELECT * FROM files WHERE ${readable} AND id = ?`, ...reading(owner), id);
  const inFolder = (owner: Owner, id: string): FileRow[] => [
    ...records.all<FileRow>(`SELECT * FROM files WHERE ${readable} AND parent_id = ? ORDER BY id`, ...reading(owner), id),
    ...records
      .all<{ id: string }>('SELECT id FROM folders WHERE parent_id = ? ORDER BY id', id)
      .flatMap((folder) => inFolder(owner, folder.id)),
  ];

  const sweep = async (): Promise<void> => {
    const gone = records.all<{ id: string }>('SELECT id FROM files WHERE expires_at <= ? AND discarded_at IS NULL', clock.now());
    for (const { id } of gone) {
      records.run('UPDATE files SET discarded_at = ? WHERE id = ? AND expires_at IS NOT NULL', isoTime(), id);
      for (const version of records.all<{ id: string }>('SELECT id FROM file_versions WHERE file_id = ?', id))
        await bytes.remove(version.id);
    }
  };
  const timer = setInterval(() => void sweep().catch(() => undefined), SWEEP_MS);
  timer.unref();

  return {
    folders,
    readable,
    reading,
    find,
    findAll(owner, ids) {
      const found = ids.map((id) => {
        const file = find(owner, id);
        if (file) return [file];
        return folders.find(owner, id) ? inFolder(owner, id) : id;
      });
      const files = new Map(found.flatMap((each) => (typeof each === 'string' ? [] : each.map((file) => [file.id, file] as const))));
      return { files: [...files.values()], missing: found.filter((each) => typeof each === 'string') };
    },
    version(owner, versionId) {
      const found = records.get<{ id: string; file_id: string; name: string; mime_type: string; bytes: number }>(
        `SELECT file_versions.*, name FROM file_versions JOIN files ON files.id = file_id WHERE ${readable} AND file_versions.id = ?`,
        ...reading(owner),
        versionId,
      );
      return (
        found && {
          id: found.id,
          fileId: found.file_id,
          name: found.name,
          mimeType: found.mime_type,
          bytes: found.bytes,
          path: bytes.path(found.id),
        }
      );
    },
    add(owner, { name, mimeType, parentId, sha256, bytes: size }, keep) {
      const known = records.get<FileRow & { sha256: string }>(
        `SELECT files.*, sha256 FROM files JOIN file_versions ON file_versions.id = version_id WHERE ${readable} AND parent_id IS ? AND name = ?`,
        ...reading(owner),
        parentId,
        name,
      );
      const expiresAt = folders.isTemporary(parentId) ? clock.now() + temporaryFileSeconds * 1_000 : null;
      if (known?.sha256 === sha256) {
        // Its bytes may be what could not be read: those that have come are kept in their place, and looked at anew.
        const failed = known.status === 'failed';
        if (failed) keep(known.version_id);
        const status = failed ? 'processing' : known.status;
        records.run('UPDATE files SET status = ?, fault = NULL, expires_at = ? WHERE id = ?', status, expiresAt, known.id);
        return { row: find(owner, known.id)!, changed: 0 };
      }
      const versionId = newId();
      keep(versionId);
      const id = known?.id ?? newId();
      const at = isoTime();
      const status = isIngested(name) ? 'processing' : 'ready';
      records.run(
        `INSERT INTO files (id, organization_id, user_id, parent_id, name, mime_type, status, version_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET mime_type = excluded.mime_type, status = excluded.status, fault = NULL, version_id = excluded.version_id, expires_at = excluded.expires_at`,
        id,
        owner.organizationId,
        owner.userId,
        parentId,
        name,
        mimeType,
        status,
        versionId,
        at,
        expiresAt,
      );
      records.run(
        'INSERT INTO file_versions (id, file_id, mime_type, bytes, sha256, created_at) VALUES (?, ?, ?, ?, ?, ?)',
        versionId,
        id,
        mimeType,
        size,
        sha256,
        at,
      );
      return { row: find(owner, id)!, changed: 1 };
    },
    keep: (from, versionId) => bytes.keep(from, versionId),
    ingest: (row) => {
      if (row.status === 'processing') ingest.begin(row);
    },
    adopt(owner, ids, sessionId) {
      const leaving = ids.filter((id) => folders.isTemporary(find(owner, id)?.parent_id ?? null));
      if (leaving.length === 0) return;
      const folder = folders.ensure(owner, 'session', null, sessionId);
      for (const id of leaving) records.run('UPDATE files SET parent_id = ?, expires_at = NULL WHERE id = ?', folder.id, id);
    },
    orphan(ids) {
      for (const id of ids)
        records.run(
          `UPDATE files SET expires_at = ? WHERE id = ? AND parent_id IN (SELECT id FROM folders WHERE kind = 'session')
           AND NOT EXISTS (SELECT 1 FROM agent_files WHERE file_id = files.id)`,
          clock.now(),
          id,
        );
    },
    sweep,
    resume: () => ingest.resume(),
    async close() {
      clearInterval(timer);
      await ingest.close();
    },
  };
};
