import type { ReadingOf } from '../../../contracts/assumptions/index.ts';
import type { UnpackRequest } from '../../../child/tables.ts';
import { BadInput } from '../../../errors/classes.ts';
import type { Addition, AdditionReadings } from '../datasets/append.ts';
import { MAX_ROWS } from '../datasets/arrow-input.ts';
import type { Datasets } from '../datasets/store.ts';
import { HttpError, invalid, notFound } from '../../core/errors.ts';
import { sha256 } from '../../core/journal.ts';
import { appendFile, completed } from './append-file.ts';
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

/** The only type of file whose rows this service reads. */
export const FILE_TYPE = 'feather';

const refusals: Partial<Record<BadInput['verdict'], number>> = { bad_input: 422, too_large: 413, timeout: 413, crashed: 422 };

const lockIsHeld = (): HttpError => new HttpError(409, 'Project transaction lock is held');

/**
 * Completes uploads. The mark of a completed one is written by the transaction that adds its rows, so a repeat, also one
 * after a kill or beside the first, gives the same answer and adds nothing.
 */
export const createCompletions = (uploads: Uploads, datasets: Datasets) => {
  const underWay = new Map<string, Promise<Addition>>();

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

  const carryOut = async (
    upload: UploadRow,
    { projectId, uniqueIdField, objectId, etags, readings, requestId }: Completion,
  ): Promise<Addition> => {
    const { upload_id: uploadId } = upload;
    await uploads.parts.seal(uploadId);
    try {
      const parts = uploads.records.parts(uploadId);
      checkEtags(upload, parts, etags);
      // Refused before minutes of work; checked again in the transaction.
      if ((await datasets.use(projectId, (dataset) => dataset.facts())).locked) throw lockIsHeld();
      const md5 = parts.map((part) => part.md5);
      const { files } = await unpack(upload, md5);
      await uploads.reach('upload.unpacked');
      const addition = await datasets.use(projectId, (dataset) =>
        appendFile(
          dataset,
          files,
          uniqueIdField,
          readings,
          { projectId, uploadId, objectId },
          {
            requestId,
            operation: 'maps.uploads.complete',
            subject: `dataset/${projectId}`,
            act: 'add',
            content: { project: projectId, parts: sha256(md5.join('\n')) },
          },
          () => uploads.reach('upload.adding'),
        ),
      );
      // Its bytes are rows now. A kill before this leaves them to the sweep.
      await uploads.drop(uploadId);
      return addition;
    } finally {
      await uploads.parts.reopen(uploadId);
    }
  };

  return async (completion: Completion): Promise<Addition> => {
    const { projectId, uploadId, objectId, fileType, again } = completion;
    await uploads.ready;
    const done = (): Promise<Addition | undefined> => datasets.use(projectId, (dataset) => completed(dataset, { uploadId, objectId }));
    const known = underWay.get(uploadId);
    if (known) return known;
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
    if (other) return other;
    const running = carryOut(upload, completion).finally(() => underWay.delete(uploadId));
    underWay.set(uploadId, running);
    return running;
  };
};
