import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { parseOptions } from '../parse-options.ts';
import { acknowledged, id } from './common.ts';

/** Most files of one upload or extraction (assumption). */
const mostFiles = 256;

/** A task in answers: the text names `task_id`; `job_id` beside it is of the service's definitions and says the same. */
const begun = z.looseObject({ task_id: z.string().min(1), job_id: z.string().nullish() });

/**
 * PUT of the bytes of one file to the URL that `upload` gave, without a key, because the URL is signed. It is no operation of its own in
 * the text, but it can be disturbed, counted and limited under this name.
 */
export const fileOperation = 'maps.documents.put' as const;

/**
 * Places for files that are to be parsed. Each is filled by a PUT to `upload_url` and named by `svc_url`, which other services call
 * otherwise: a client reads any field that ends in `_url` and is not of http.
 */
export const upload = defineEndpoint({
  method: 'POST',
  path: '/v1/upload',
  summary: 'Ask for signed URLs to which files are sent that are to be parsed.',
  // A repeat leaves a place behind that nobody fills: the service drops it.
  effect: 'safe',
  limit: 'maps/write',
  status: 201,
  input: z.strictObject({
    files: z
      .array(z.strictObject({ id: z.string().min(1), size: z.int().min(1), content_type: z.string().min(1) }))
      .min(1)
      .max(mostFiles),
  }),
  output: z.looseObject({
    /** In the order of the request; `request_id` is its `id`. */
    files: z.array(z.looseObject({ request_id: z.string(), upload_url: z.string(), svc_url: z.string().nullish() })),
  }),
});

/** Begins to parse one file. What becomes of it is asked by `status`: bytes that are no document fail the task, not this call. */
export const parse = defineEndpoint({
  method: 'POST',
  path: '/v1/parse',
  summary: 'Begin to parse a document into blocks and chunks.',
  // A repeat is a second task with the same result.
  effect: 'safe',
  limit: 'maps/write',
  cost: 'the pages of the document',
  status: 201,
  input: z.strictObject({ file_url: z.string().min(1), options: parseOptions }),
  output: begun,
});

/**
 * Begins to fill a JSON Schema (draft 7) from what files say. The result is what the schema describes, an object or a list; what no file
 * says is left out.
 */
export const extract = defineEndpoint({
  method: 'POST',
  path: '/v1/extract',
  summary: 'Begin to extract what a JSON Schema describes from documents.',
  // A repeat is a second task with the same result.
  effect: 'safe',
  limit: 'maps/write',
  cost: 'the pages of the documents',
  status: 201,
  input: z.strictObject({
    file_urls: z.array(z.string().min(1)).min(1).max(mostFiles),
    extraction_schema: z.record(z.string(), z.unknown()),
    system_prompt: z.string().nullish(),
  }),
  output: begun,
});

/** `result_url` gives the result without a key, for an hour; each answer has a new one. `error` is there where the task has failed. */
export const status = defineEndpoint({
  method: 'GET',
  path: '/v1/status/{task_id}',
  summary: 'How a task of parse stands.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  input: z.strictObject({ task_id: id }),
  output: z.looseObject({
    status: z.string(),
    result_url: z.string().nullish(),
    error: z.string().nullish(),
    /** Why a document was refused: `bad_input`, `too_large`, `timeout`, `crashed`. */
    verdict: z.string().nullish(),
  }),
});

/**
 * Tasks of the organization, the newest first. What stands in `metadata` is not said; this service names the file, by which a task is
 * found whose id was lost on the way.
 */
export const events = defineEndpoint({
  method: 'GET',
  path: '/v1/status/tasks/events',
  summary: 'Tasks of parse that were begun, with the file of each.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  input: z.strictObject({}),
  output: z.looseObject({
    events: z.array(z.looseObject({ task_id: z.string(), task_type: z.string().nullish(), metadata: z.looseObject({}).nullish() })),
  }),
});

/** The task fails as cancelled; one that has ended stays as it is. */
export const cancel = defineEndpoint({
  method: 'DELETE',
  path: '/v1/parse/task/{task_id}',
  summary: 'Cancel a task of parse.',
  effect: 'idempotent',
  limit: 'maps/write',
  status: 204,
  answer: 'nothing',
  input: z.strictObject({ task_id: id }),
  output: acknowledged,
});
