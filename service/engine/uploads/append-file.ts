import type { DuckDBConnection } from '@duckdb/node-api';
import { readFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import type { UnpackResult } from '../../../child/tables.ts';
import { addRows, noteAddition } from '../datasets/append.ts';
import { createRows, fitRows } from '../datasets/fit.ts';
import type { Fit } from '../datasets/fit.ts';
import type { Addition, AdditionReadings, RowCounts } from '../datasets/append.ts';
import { readRows } from '../datasets/arrow-input.ts';
import { readFacts, select, writeJournal } from '../datasets/dataset.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { journalAddition } from '../datasets/journal-addition.ts';
import { invalid } from '../../core/errors.ts';
import type { JournalEntry } from '../../core/journal.ts';

export type Mark = { uploadId: string; objectId: string };

/** What a completed upload was: rows that were added, or a blob, whose hash then stands here. */
export type Completed = Addition & { blob: string | null };

/** What a completed upload added, as noted in the dataset by the transaction that added it. */
export const completed = (dataset: Dataset, { uploadId, objectId }: Mark): Promise<Completed | undefined> =>
  dataset.read(async (connection) => {
    const [row] = await select<{ added: number; checkpoint: number; added_at: number | null; blob_hash: string | null }>(
      connection,
      'SELECT added, checkpoint, added_at, blob_hash FROM uploads WHERE upload_id = ? AND object_id = ?',
      [uploadId, objectId],
    );
    return row && { added: row.added, checkpoint: row.checkpoint, addedAt: row.added_at, blob: row.blob_hash };
  });

/**
 * Adds the rows of unpacked files to a dataset in one transaction, with its journal row and the mark of the upload: after
 * any kill all of it is there, or nothing. File by file, so that other requests are answered meanwhile. Throws as `addRows`.
 */
export const appendFile = (
  dataset: Dataset,
  files: UnpackResult['files'],
  uniqueIdField: string | null,
  readings: AdditionReadings,
  { projectId, uploadId, objectId }: Mark & { projectId: string },
  entry: JournalEntry,
  fileAdded: () => Promise<void>,
): Promise<Completed> =>
  dataset.write(async (connection) => {
    const facts = await readFacts(connection);
    let fit: Fit | undefined;
    let counts: RowCounts = facts;
    let added = 0;
    let sent = 0;
    for (const { file } of files) {
      const shard = readRows(await readFile(file));
      // All files come from one: they have the same columns.
      if (!fit) {
        if (shard.projectId !== undefined && shard.projectId !== projectId)
          throw invalid('project_id', `the file is for the dataset ${shard.projectId}, and the upload was started for ${projectId}`);
        fit = fitRows(facts, shard, uniqueIdField);
        if (fit.first) await createRows(connection, fit);
      }
      const part = await addRows(dataset, connection, fit, shard, counts, readings, facts.nextRow);
      added += part.added;
      sent += shard.rows;
      counts = part.after;
      await fileAdded();
      await turn();
    }
    const addition = { added, ...(await noteAddition(connection, facts, counts)) };
    await noteUpload(connection, { uploadId, objectId }, { ...addition, blob: null });
    await journalAddition(connection, entry, { sent, added, from: facts.nextRow, to: counts.nextRow });
    return { ...addition, blob: null };
  });

/** Notes a completed upload in the open transaction. */
const noteUpload = (connection: DuckDBConnection, { uploadId, objectId }: Mark, { added, checkpoint, addedAt, blob }: Completed) =>
  connection.run('INSERT INTO uploads (upload_id, object_id, added, checkpoint, added_at, blob_hash) VALUES (?, ?, ?, ?, ?, ?)', [
    uploadId,
    objectId,
    added,
    checkpoint,
    addedAt,
    blob,
  ]);

/** Notes that an upload has become a blob, with its journal row; `fresh`: there was none of this hash. */
export const noteBlob = (dataset: Dataset, mark: Mark, blob: string, fresh: boolean, entry: JournalEntry): Promise<Completed> =>
  dataset.write(async (connection) => {
    const { checkpoint, addedAt } = await readFacts(connection);
    const upload = { added: 0, checkpoint, addedAt, blob };
    await noteUpload(connection, mark, upload);
    await writeJournal(connection, entry, Number(fresh));
    return upload;
  });
