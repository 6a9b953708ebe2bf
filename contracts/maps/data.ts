import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { locked, notReady } from './busy.ts';
import { acknowledged, id, listed, orElse } from './common.ts';

/** AddArrowSuccessResponse. Timestamps are seconds since the epoch (assumption: the text states no unit). */
export const addition = z.looseObject({
  result: z.string().nullish(),
  checkpoint: z.number().nullish(),
  latest_addition_timestamp: z.number().nullish(),
});

/**
 * Body: one Arrow IPC file; how large it may be is the assumption `batch-caps`. The target is named in the Arrow
 * schema metadata: `project_id`, and `on_id_conflict_ignore` = "true" to skip known ids, which is what makes
 * the call repeatable; what else a service may make of it is the assumption `known-ids`.
 */
export const addArrow = defineEndpoint({
  method: 'POST',
  path: '/v1/project/data/add/arrow',
  summary: 'Add rows to a dataset.',
  effect: 'idempotent',
  limit: 'maps/data',
  status: 200,
  errors: [locked],
  body: 'bytes',
  input: z.object({ body: z.instanceof(Uint8Array) as z.ZodType<Uint8Array> }),
  output: addition.nullish(),
});

/** Rows in request order. What becomes of unknown ids is the assumption `unknown-datum`. */
export const get = defineEndpoint({
  method: 'POST',
  path: '/v1/project/data/get',
  summary: 'Rows by id.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  input: z.strictObject({ project_id: id, datum_ids: z.array(z.string()).min(1) }),
  output: z.looseObject({
    // A row that is not there may come as null, or not at all.
    datums: listed(z.record(z.string(), z.unknown()).nullable()).transform((rows) => rows.filter((row) => row !== null)),
  }),
});

/**
 * Rows of a dataset in their order, of all or of those with a value in a column. The text shows no parameters; its name elsewhere says
 * "by field name" (assumption).
 */
export const rows = defineEndpoint({
  method: 'GET',
  path: '/v1/project/{dataset_id}/data/get',
  summary: 'Rows of a dataset, by the value of a column where one is named.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  query: { field: 'text', value: 'text', offset_number: 'number', limit: 'number' },
  input: z.strictObject({
    dataset_id: id,
    field: z.string().nullish(),
    value: z.string().nullish(),
    offset_number: orElse(z.int().min(0), 0),
    limit: orElse(z.int().min(0).max(1_000), 100),
  }),
  output: z.looseObject({ data: listed(z.record(z.string(), z.unknown())) }),
});

/**
 * Deletes rows. Reads, counts and maps show it when the next index has been built or updated, not before; what becomes
 * of unknown ids and of ids that are added again before that are the assumptions `unknown-deletion` and `readded-id`.
 */
export const deleteRows = defineEndpoint({
  method: 'POST',
  path: '/v1/project/data/delete',
  summary: 'Delete rows by id.',
  effect: 'idempotent',
  irreversible: true,
  limit: 'maps/data',
  status: 200,
  errors: [locked],
  input: z.strictObject({ project_id: id, datum_ids: z.array(z.string()).min(1) }),
  output: acknowledged,
});

export const lastModified = defineEndpoint({
  method: 'GET',
  path: '/v1/project/{dataset_id}/last_modified',
  summary: 'When the dataset last changed.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  input: z.object({ dataset_id: id }),
  output: addition,
});

const qid = z.string().regex(/^\d+-\d+$/, 'a tile-row pair such as 13-264');

/** `response_type: json` gives rows, `arrow` (the default) one uncompressed Arrow IPC file. Vectors come where `columns` names them. */
export const datums = defineEndpoint({
  method: 'POST',
  path: '/v1/project/projection/{map_id}/datums',
  summary: 'Rows of a map by tile and row.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  input: z.strictObject({
    map_id: id,
    qids: z.array(qid).min(1).max(10_000),
    response_type: orElse(z.enum(['arrow', 'json']), 'arrow' as const),
    columns: z.array(z.string()).nullish(),
  }),
  answer: 'json or bytes',
  output: z.unknown(),
});

/** Each row is one atom, so that the ids are those of the rows (assumption); an unknown one is a 404 (assumption). */
export const atoms = defineEndpoint({
  method: 'POST',
  path: '/v1/project/atoms/get',
  summary: 'Atoms of an index by id.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  errors: [notReady],
  input: z.strictObject({ project_id: id, index_id: id, atom_ids: z.array(z.string()).min(1) }),
  output: z.looseObject({ atoms: z.record(z.string(), z.looseObject({})) }),
});
