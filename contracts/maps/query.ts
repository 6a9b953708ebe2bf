import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { notReady } from './busy.ts';
import { id } from './common.ts';
import { textsUnread } from './embedding.ts';
import { selection } from './selection.ts';

const scalar = z.union([z.string(), z.number()]);

/** An id, bare or as the only field of an object. */
const pointId = z.union([
  scalar,
  z.record(z.string(), scalar).refine((object) => Object.keys(object).length === 1, 'an object of one field, the id'),
]);

/** Ids as the text shows them (a list of strings); the public docs also show a list of one-field objects, bare or under `data`. */
export const select = defineEndpoint({
  method: 'POST',
  path: '/v1/query',
  summary: 'Ids of the points of a map that match a selection.',
  effect: 'safe',
  limit: 'maps/search',
  auth: 'public',
  status: 200,
  errors: [notReady],
  input: z.strictObject({ projection_id: id, selection }),
  list: { under: 'data', member: pointId },
  output: z.union([z.array(pointId), z.looseObject({ data: z.array(pointId) })]),
});

/** How large `k` may be is the assumption `batch-caps`. Results come in descending `_similarity`; larger is closer. */
export const topk = defineEndpoint({
  method: 'POST',
  path: '/v1/query/topk',
  summary: 'Points nearest in meaning to a text or a vector.',
  effect: 'safe',
  limit: 'maps/search',
  auth: 'public',
  status: 200,
  errors: [notReady],
  refuses: textsUnread,
  input: z.strictObject({
    projection_id: id,
    k: z.int().min(1),
    fields: z.array(z.string()),
    query: z.union([z.string().min(1), z.array(z.number()).min(1)]),
    selection: selection.nullish(),
    task_type: z.enum(['search_document', 'search_query']).nullish(),
  }),
  output: z.union([z.array(z.looseObject({})), z.looseObject({ data: z.array(z.looseObject({})) })]),
});
