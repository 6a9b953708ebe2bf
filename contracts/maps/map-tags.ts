import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { name } from '../name.ts';
import { notReady } from './busy.ts';
import { acknowledged, flag, id, listed } from './common.ts';

// Outside the text, used by public clients: the tags of a map as things of their own, with the rule and the mask that a viewer made.

const path = '/v1/project/projection/tags';

/** A tag set by ids alone has no rule, and its definition is its own id. */
const tag = z.looseObject({
  tag_id: z.string(),
  tag_definition_id: z.string(),
  tag_name: z.string().nullish(),
  user_id: z.string().nullish(),
  dsl_rule: z.string().nullish(),
  projection_id: z.string().nullish(),
});

/** Made by the client, a hash of the rule; part of the name of a file beside each tile. */
const definition = z.string().regex(/^[\w-]{1,200}$/, 'letters, digits, _ and -');
/** JSON text of the rule, in the client's own words. */
const rule = z.string();

/** The same name and definition once more are the tag that is there (assumption); the name of another one is a 409. */
export const create = defineEndpoint({
  method: 'POST',
  path: `${path}/create`,
  summary: 'Create a tag of a map, with the rule that it stands for.',
  effect: 'idempotent',
  limit: 'maps/tag',
  status: 201,
  refuses: { 409: 'another tag of the map has that name' },
  input: z.strictObject({ project_id: id, projection_id: id, tag_name: name, tag_definition_id: definition, dsl_rule: rule }),
  output: tag,
});

export const get = defineEndpoint({
  method: 'GET',
  path: `${path}/get`,
  summary: 'One tag of a map.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  query: { tag_id: 'text', project_id: 'text' },
  input: z.object({ tag_id: id, project_id: id.nullish() }),
  output: tag,
});

/** Assumption: `tag-points`. */
export const list = defineEndpoint({
  method: 'GET',
  path: `${path}/get/all`,
  summary: 'The tags of a map, by name.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  query: { project_id: 'text', projection_id: 'text', include_dsl_rule: 'boolean' },
  input: z.object({ project_id: id, projection_id: id, include_dsl_rule: z.boolean().nullish() }),
  output: listed(tag),
});

/** A tag by a rule is complete once a whole mask, or the service, has said which points it is on. */
export const status = defineEndpoint({
  method: 'GET',
  path: `${path}/status`,
  summary: 'Whether it is known of every point if it has the tag.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  query: { project_id: 'text', tag_id: 'text' },
  input: z.object({ project_id: id, tag_id: id }),
  output: z.looseObject({ is_complete: flag }),
});

/** With another rule a tag has no points until its mask is there (assumption). */
export const update = defineEndpoint({
  method: 'POST',
  path: `${path}/update`,
  summary: 'Rename a tag of a map, or give it another rule.',
  effect: 'idempotent',
  limit: 'maps/tag',
  status: 200,
  refuses: { 409: 'another tag of the map has that name' },
  input: z
    .strictObject({ tag_id: id, tag_name: name.nullish(), tag_definition_id: definition.nullish(), dsl_rule: rule.nullish() })
    .refine((asked) => (asked.tag_name ?? asked.tag_definition_id) != null, {
      path: ['tag_name'],
      message: 'send tag_name, or tag_definition_id with its dsl_rule',
    }),
  output: tag,
});

/** A tag that is gone already is gone (assumption). */
export const remove = defineEndpoint({
  method: 'POST',
  path: `${path}/delete`,
  summary: 'Delete a tag of a map, from all of its points.',
  effect: 'idempotent',
  irreversible: true,
  limit: 'maps/tag',
  status: 200,
  input: z.strictObject({
    project_id: id,
    tag_id: id,
    tag_name: z.string().nullish(),
    tag_definition_id: z.string().nullish(),
    dsl_rule: z.string().nullish(),
  }),
  output: acknowledged,
});

/**
 * Body: one Arrow IPC file. Its schema metadata names `tag_id`, `project_id`, `tag_definition_id` and `complete` (`true` or `false`); its
 * column `bitmask` is a list of booleans for each tile, in the order of the tile's rows. Which tile a row is of stands in a column `key`;
 * without one the lists together are all points in the order of the manifest (assumption).
 */
export const mask = defineEndpoint({
  method: 'POST',
  path: `${path}/update/mask`,
  summary: 'Say of the points of a map which have a tag.',
  effect: 'idempotent',
  limit: 'maps/tag',
  status: 201,
  errors: [notReady],
  body: 'bytes',
  refuses: { 409: 'the tag has another definition by now' },
  input: z.object({ body: z.instanceof(Uint8Array) as z.ZodType<Uint8Array> }),
  output: acknowledged,
});

/** The rule must be a selection of the text's DSL (assumption): the service knows no other. */
export const robotag = defineEndpoint({
  method: 'POST',
  path: `${path}/robotag`,
  summary: 'Have the service put a tag on the points that its rule matches.',
  effect: 'idempotent',
  limit: 'maps/tag',
  status: 200,
  errors: [notReady],
  input: z.strictObject({
    project_id: id,
    tag_id: id,
    tag_name: z.string().nullish(),
    tag_definition_id: z.string().nullish(),
    dsl_rule: z.string().nullish(),
  }),
  output: acknowledged,
});
