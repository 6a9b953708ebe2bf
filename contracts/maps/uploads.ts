import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { locked } from './busy.ts';
import { id, orElse } from './common.ts';
import { addition } from './data.ts';
import { get as dataset } from './projects.ts';

/** Size of a part where none is asked for, in bytes; public clients cut files at this size whatever was asked. */
export const defaultPartSize = 16 * 1024 * 1024;

/**
 * PUT of one part: raw bytes to the URL of the plan, without a key, because the URL is signed. It is no operation of
 * its own in the text, but it can be disturbed, counted and limited under this name.
 */
export const partOperation = 'maps.uploads.part' as const;

/**
 * Starts an upload: part n holds the bytes from (n − 1) × `part_size`. There is no operation that lists parts, signs
 * URLs again or gives an upload up: new URLs are a new upload, and an abandoned one stays until the service drops it.
 */
export const start = defineEndpoint({
  method: 'POST',
  path: '/v1/project/{dataset_id}/data/upload/start',
  summary: 'Start a multipart upload of one file: a signed URL for each part.',
  // A repeat leaves an upload behind that nobody fills: accepted, it holds no rows.
  effect: 'safe',
  limit: 'maps/data',
  status: 201,
  input: z.strictObject({
    dataset_id: id,
    file_type: z.string().min(1),
    file_size: z.int().min(1),
    part_size: orElse(z.int().min(1), defaultPartSize),
  }),
  output: z.looseObject({
    upload_id: z.string(),
    object_id: z.string(),
    part_urls: z.array(z.looseObject({ part_number: z.coerce.number().pipe(z.int().min(1)), url: z.string() })).min(1),
  }),
});

/**
 * Ends an upload: the parts become the file, and its rows become rows of the dataset. `part_etags` are the ETag headers
 * of the part answers, quotes included. What a repeat of a finished one gives is the assumption `second-completion`; a lost answer is looked
 * up by the dataset's count of rows.
 */
export const complete = defineEndpoint({
  method: 'POST',
  path: '/v1/project/{dataset_id}/data/upload/complete',
  summary: 'End a multipart upload and add its rows to the dataset.',
  effect: 'reconcile',
  lookup: {
    // An upload cannot be read: what was there before stands for the count of rows.
    before: async ({ dataset_id }, ask) => [String((await ask(dataset, { project_id: dataset_id })).total_datums_in_project)],
    async find({ dataset_id }, [before], ask) {
      const { unique_id_field, total_datums_in_project } = await ask(dataset, { project_id: dataset_id });
      // Ending a finished upload again adds nothing: ids are there once. Rows to which the service gives
      // their ids would be there twice.
      if (unique_id_field || String(total_datums_in_project) === before) return 'absent';
      return { unknown: `the dataset has no id column, and its count of rows went from ${before} to ${total_datums_in_project}` };
    },
  },
  limit: 'maps/data',
  status: 201,
  errors: [locked],
  input: z.strictObject({
    dataset_id: id,
    upload_id: z.string().min(1),
    object_id: z.string().min(1),
    part_etags: z
      .array(z.looseObject({ part_number: z.union([z.string(), z.number()]), etag: z.string(), url: z.string().optional() }))
      .min(1),
    file_type: z.string().min(1),
  }),
  output: addition.extend({ metadata: z.record(z.string(), z.unknown()).nullish() }).nullish(),
});
