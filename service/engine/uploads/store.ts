import { readdir, rm } from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTables } from '../../../child/host/create-tables.ts';
import type { Tables } from '../../../child/tables.ts';
import type { Clock } from '../../core/clock.ts';
import type { Faults } from '../../core/faults.ts';
import { createParts } from './parts.ts';
import type { Parts } from './parts.ts';
import { openUploadRecords } from './records.ts';
import type { UploadRecords } from './records.ts';
import type { UploadSettings } from './settings.ts';
import { createWriters } from './writers.ts';

/** Everything that uploads need: records, parts on disk, and the child that opens files. */
export type Uploads = {
  settings: UploadSettings;
  records: UploadRecords;
  parts: Parts;
  tables: Tables;
  reach: Faults['reach'];
  /** What a kill left is tidied away: nothing touches the folder before. */
  ready: Promise<void>;
  /** Forgets an upload and removes its bytes. */
  drop(uploadId: string): Promise<void>;
  /** Drops the uploads of a project that is gone; one that is being completed drops itself. */
  dropProject(projectId: string): Promise<void>;
  /** Drops the uploads that are older than the settings allow. */
  sweep(): Promise<void>;
  close(): Promise<void>;
};

/** A file of one record batch is decoded as a whole: so much of it fits, in MiB. */
const CHILD_MEMORY_MB = 2_048;
const SWEEP_MS = 60_000;

export const createUploadStore = (dataDir: string, clock: Clock, reach: Faults['reach'], settings: UploadSettings): Uploads => {
  const folder = join(dataDir, 'uploads');
  mkdirSync(folder, { recursive: true });
  const records = openUploadRecords(join(dataDir, 'uploads.sqlite'));
  const writers = createWriters();
  const parts = createParts(folder, records, writers);
  const tables = createTables({ children: 1, memoryMb: CHILD_MEMORY_MB });

  const drop = async (uploadId: string): Promise<void> => {
    records.remove(uploadId);
    await parts.drop(uploadId);
  };
  const sweep = async (): Promise<void> => {
    for (const { upload_id, created_at } of records.list())
      if (clock.now() - created_at > settings.keepSeconds * 1_000 && !parts.isSealed(upload_id)) await drop(upload_id);
  };
  /** What a kill left: folders without a record, parts that were never acknowledged, files that were being unpacked. */
  const tidy = async (): Promise<void> => {
    for (const uploadId of await readdir(folder)) {
      if (!records.get(uploadId)) await rm(join(folder, uploadId), { recursive: true, force: true });
      else await parts.tidy(uploadId);
    }
  };
  const timer = setInterval(() => void sweep().catch(() => undefined), SWEEP_MS);
  timer.unref();
  const ready = tidy();
  ready.catch((error: unknown) => process.stderr.write(`uploads: ${String(error)}\n`));

  return {
    settings,
    records,
    parts,
    tables,
    reach,
    ready,
    drop,
    async dropProject(projectId) {
      for (const { upload_id, project_id } of records.list())
        if (project_id === projectId && !parts.isSealed(upload_id)) await drop(upload_id);
    },
    sweep,
    async close() {
      clearInterval(timer);
      await ready.catch(() => undefined);
      await writers.close();
      await tables.close();
      records.close();
    },
  };
};
