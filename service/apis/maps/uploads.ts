import { randomUUID } from 'node:crypto';
import type { maps } from '../../../contracts/maps/index.ts';
import { invalid } from '../../core/errors.ts';
import type { Handlers } from '../../http/handlers.ts';
import { projectOf } from '../../core/records/projects.ts';
import { fileTypes, createCompletions } from '../../engine/uploads/complete.ts';
import { signedPart } from '../../engine/uploads/part-route.ts';
import { countParts } from '../../engine/uploads/plan.ts';
import { versionStamp } from './data.ts';
import type { MapsState } from './state.ts';

const checkType = (fileType: string): void => {
  if (!(fileTypes as readonly string[]).includes(fileType))
    throw invalid(
      'file_type',
      `${fileType}: not built by the local service; it takes feather (an Arrow IPC file of rows) and jpeg (a blob)`,
    );
};

export const createUploads = ({
  records,
  datasets,
  blobs,
  uploads,
  signer,
  clock,
  readings,
}: MapsState): Handlers<typeof maps>['uploads'] => {
  const complete = createCompletions(uploads, datasets, blobs);
  return {
    async start({ dataset_id, file_type, file_size, part_size }, { userId, origin }) {
      const project = projectOf(records, userId, dataset_id);
      checkType(file_type);
      await uploads.ready;
      await uploads.sweep();
      const sizes = { file_size, part_size };
      const count = countParts(sizes);
      const upload = {
        upload_id: randomUUID(),
        object_id: randomUUID(),
        project_id: project.id,
        file_type,
        ...sizes,
        created_at: clock.now(),
      };
      // Recorded first: what has a record is tidied up by its age, whatever dies next.
      uploads.records.add(upload);
      await uploads.parts.prepare(upload).catch(async (error: unknown) => {
        await uploads.drop(upload.upload_id);
        throw error;
      });
      const seconds = uploads.settings.urlSeconds;
      return {
        upload_id: upload.upload_id,
        object_id: upload.object_id,
        part_urls: Array.from({ length: count }, (_, at) => {
          const part = signedPart(upload.upload_id, at + 1);
          return { part_number: at + 1, url: `${origin}${part.path}?${signer.sign(part, upload.created_at, seconds)}` };
        }),
      };
    },
    async complete({ dataset_id, upload_id, object_id, part_etags, file_type }, { userId, requestId }) {
      const project = projectOf(records, userId, dataset_id);
      checkType(file_type);
      const completing = complete({
        projectId: project.id,
        uniqueIdField: project.unique_id_field,
        uploadId: upload_id,
        objectId: object_id,
        fileType: file_type,
        etags: part_etags,
        readings: readings.all(),
        again: readings.of('second-completion'),
        requestId,
      });
      const shape = readings.of('complete-answer');
      if (readings.of('completion') === 'after') {
        // Whoever asked has its answer, and hears of no failure.
        completing.catch((error: unknown) => process.stderr.write(`upload ${upload_id}: ${String(error)}\n`));
        return shape === 'null' ? null : {};
      }
      const { checkpoint, addedAt, blob } = await completing;
      if (shape === 'null') return null;
      return shape === 'object'
        ? {}
        : {
            result: 'ok',
            checkpoint,
            latest_addition_timestamp: versionStamp(readings, addedAt),
            metadata: blob === null ? {} : { blob_hash: blob },
          };
    },
  };
};
