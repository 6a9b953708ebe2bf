import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { name } from '../name.ts';
import { locked, notReady } from './busy.ts';
import { id } from './common.ts';

/** Assumptions: `batch-caps`, `id-field`, `tagged-count`, `tag-scope`, `unknown-tag`. */
export const update = defineEndpoint({
  method: 'POST',
  path: '/v1/query/update/tag/ids',
  summary: 'Add a tag to points, or remove it.',
  effect: 'idempotent',
  limit: 'maps/tag',
  status: 200,
  errors: [locked, notReady],
  input: z.strictObject({
    projection_id: id,
    tag_name: name,
    ids: z.array(z.string()).min(1),
    operation: z.enum(['add', 'remove']),
    id_field: z.string().nullish(),
  }),
  output: z.looseObject({ success: z.boolean().nullish(), tag_id: z.string().nullish(), points_tagged: z.int().nullish() }),
});
