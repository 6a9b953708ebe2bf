import { readFile } from 'node:fs/promises';
import type { ReadingOf } from '../../../contracts/assumptions/index.ts';
import type { UnpackRequest } from '../../../child/tables.ts';
import { BadInput } from '../../../errors/classes.ts';
import type { AdditionReadings } from '../datasets/append.ts';
import { MAX_ROWS } from '../datasets/arrow-input.ts';
import type { Datasets } from '../datasets/store.ts';
import { HttpError, invalid, notFound } from '../../core/errors.ts';
import { sha256 } from '../../../text/sha256.ts';
import type { JournalEntry } from '../../core/journal.ts';
import { appendFile, completed, noteBlob } from './append-file.ts';
import type { Completed } from './append-file.ts';
import type { Blobs } from '../blobs.ts';
import { checkEtags } from './etags.ts';
import type { SentEtag } from './etags.ts';
import type { UploadRow } from './records.ts';
import type { Uploads } from './store.ts';

export type Completion = {
  projectId: string;
  uniqueIdField: string | null;
  uploadId: string;
  objectId: string;
  fileType: string;
  etags: readonly SentEtag[];
  readings: AdditionReadings;
  /** What completing it once more gives. */
  again: ReadingOf<'second-completion'>;
  requestId: string;
};

/** Files whose rows this service reads, and files that become a blob of the dataset. */
export const fileTypes = ['feather', 'jpeg'] as const;

/** What a JPEG begins with. */
const jpegStart = Buffer.from([0xff, 0xd8, 0xff]);

const refusals: Partial<Record<BadInput['verdict'], number>> = { bad_input: 422, too_large: 413, timeout: 413, crashed: 422 };

const lockIsHeld = (): HttpError => new HttpError(409, 'Project transaction lock is held');

/**
 * Completes uploads. The mark of a completed one is written by the transaction that adds its rows, so a repeat, also one
 * after a kill or beside the first, gives the same answer and adds nothing.
 */
export const createCompletions = (uploads: Uploads, datasets: Datasets, blobs: Blobs) => {
  const underWay = new Map<string, { of: string; ended: Promise<Completed> }>();

  const unpack = async (upload: UploadRow, md5: string[]): Promise<Awaited<ReturnType<typeof uploads.tables.unpackArrow>>> => {
    const request: UnpackRequest = {
      file: await uploads.parts.whole(upload),
      into: uploads.parts.rowsFolder(upload.upload_id),
      maxRows: MAX_ROWS,
      maxDecodedBytes: uploads.settings.maxDecodedBytes,
      pieces: { bytes: upload.part_size, md5 },
    };
    try {
      return await uploads.tables.unpackArrow(request);
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      const status = refusals[error.verdict] ?? 422;
      throw status === 413 ? new HttpError(413, error.message) : invalid('upload_id', error.message);
    }
  };

  type Finish = (upload: UploadRow, completion: Completion, md5: string[], entry: JournalEntry) => Promise<Completed>;

  const addFile: Finish = async (upload, { projectId, uniqueIdField, uploadId, objectId, readings }, md5, entry) => {
    // Refused before minutes of work; checked again in the transaction.
    if ((await datasets.use(projectId, (dataset) => dataset.facts())).locked) throw lockIsHeld();
    const { files } = await unpack(upload, md5);
    await uploads.reach('upload.unpacked');
    return datasets.use(projectId, (dataset) =>
      appendFile(dataset, files, uniqueIdField, readings, { projectId, uploadId, objectId }, entry, () => uploads.reach('upload.adding')),
    );
  };
  /** The blob first: one that nothing refers to is found again by its hash, and an upload that names none that is there is not. */
  const keepBlob: Finish = async (upload, { projectId, uploadId, objectId }, _md5, entry) => {
    const bytes = await readFile(await uploads.parts.whole(upload));
    if (!jpegStart.equals(bytes.subarray(0, jpegStart.length))) throw invalid('upload_id', 'the file is no JPEG');
    const { hash, fresh } = await blobs.add(projectId, bytes);
    return datasets.use(projectId, (dataset) => noteBlob(dataset, { uploadId, objectId }, hash, fresh, entry));
  };

  const carryOut = async (upload: UploadRow, completion: Completion): Promise<Completed> => {
    const { projectId, uploadId, etags, requestId } = completion;
    await uploads.parts.seal(uploadId);
    try {
      const parts = uploads.records.parts(uploadId);
      checkEtags(upload, parts, etags);
      const md5 = parts.map((part) => part.md5);
      const entry: JournalEntry = {
        requestId,
        operation: 'maps.uploads.complete',
        subject: `dataset/${projectId}`,
        act: 'add',
        content: { project: projectId, parts: sha256(md5.join('\n')) },
      };
      const done = await (upload.file_type === 'jpeg' ? keepBlob : addFile)(upload, completion, md5, entry);
      // Its bytes are elsewhere now. A kill before this leaves them to the sweep.
      await uploads.drop(uploadId);
      return done;
    } finally {
      await uploads.parts.reopen(uploadId);
    }
  };

  return async (completion: Completion): Promise<Completed> => {
    const { projectId, uploadId, objectId, fileType, again } = completion;
    await uploads.ready;
    const done = (): Promise<Completed | undefined> => datasets.use(projectId, (dataset) => completed(dataset, { uploadId, objectId }));
    // Who only knows the id of an upload learns nothing of it.
    const of = JSON.stringify([projectId, objectId, fileType]);
    const known = underWay.get(uploadId);
    if (known?.of === of) return known.ended;
    const before = await done();
    if (before && again === 'not-found') throw notFound('upload', uploadId);
    if (before) return before;
    const upload = uploads.records.get(uploadId);
    // It may have been completed and dropped between the two looks.
    if (!upload || upload.project_id !== projectId) {
      const since = await done();
      if (since) return since;
      throw notFound('upload', uploadId);
    }
    if (upload.object_id !== objectId) throw invalid('object_id', `is not that of upload ${uploadId}`);
    if (upload.file_type !== fileType) throw invalid('file_type', `is ${fileType}, but the upload was started as ${upload.file_type}`);
    const other = underWay.get(uploadId);
    if (other) return other.ended;
    const ended = carryOut(upload, completion).finally(() => underWay.delete(uploadId));
    underWay.set(uploadId, { of, ended });
    return ended;
  };
};
