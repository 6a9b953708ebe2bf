import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id } from './common.ts';

/** Used by public clients; the text has no operation that leads from a map to its dataset. */
export const dataset = defineEndpoint({
  method: 'GET',
  path: '/v1/project/projection/{map_id}/get/dataset_id',
  summary: 'Dataset and index of a map.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  input: z.object({ map_id: id }),
  output: z.looseObject({ dataset_id: z.string(), index_id: z.string() }),
});
