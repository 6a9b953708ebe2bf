import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, listed } from './common.ts';

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

const topic = z.looseObject({
  properties: z.looseObject({
    topic: z.union([z.string(), z.number()]),
    depth: z.int(),
    topic_short_description: z.string(),
    topic_description: z.string().nullish(),
  }),
});

/** Outside the text, used by public clients: what a map was made with, and its topics as GeoJSON. */
export const get = defineEndpoint({
  method: 'GET',
  path: '/v1/project/{project_id}/index/projection/{projection_id}',
  summary: 'A map: its topics, and what it was made with.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  input: z.object({ project_id: id, projection_id: id }),
  output: z.looseObject({
    topic_models: listed(z.looseObject({ features: listed(topic) })),
    topic_model_metadatas: z.unknown().nullish(),
    resources: listed(z.unknown()),
    embedding_field: z.string().nullish(),
    embedding_model: z.string().nullish(),
    primary_projection_algorithm: z.string().nullish(),
    total_data_points: z.int().nullish(),
  }),
});
