import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { name } from '../name.ts';
import { locked } from './busy.ts';
import type { Ask } from '../endpoint.ts';
import { acknowledged, flag, id, listed } from './common.ts';
import { datasetNow, staleIndices, updateReceived } from './coverage.ts';
import { get as dataset } from './projects.ts';

const indicesOf = async (project_id: string, ask: Ask) => (await ask(dataset, { project_id })).atlas_indices;

/** Ids of a dataset's indices of that name which were not there before. */
const madeSince = async (
  { project_id, index_name }: { project_id: string; index_name?: string | null | undefined },
  before: readonly string[],
  ask: Ask,
): Promise<string[]> =>
  (await indicesOf(project_id, ask))
    .filter((index) => !before.includes(index.id) && (!index_name || index.index_name === index_name))
    .map(({ id }) => id);

const hyperparameters = z.string().nullish();
/** Sent as null where the caller gives none: the service's own schema asks for the field. */
const required = z.string().nullable().default(null);

/**
 * Starts an index job and returns at once. Creating twice builds two indices, so a lost answer is looked up
 * among the dataset's indices that were not there before. Hyperparameters are JSON strings.
 */
export const create = defineEndpoint({
  method: 'POST',
  path: '/v1/project/index/create',
  summary: 'Build an index and a map of a dataset.',
  effect: 'reconcile',
  lookup: {
    before: async ({ project_id }, ask) => (await indicesOf(project_id, ask)).map((index) => index.id),
    async find(input, before, ask) {
      const made = await madeSince(input, before, ask);
      if (made.length === 0) return 'absent';
      // An index does not say which job builds it.
      return {
        unknown: `the dataset has a new index ${made.join(', ')}, and the id of its job was in the lost answer; index.build needs none`,
      };
    },
    made: madeSince,
  },
  limit: 'maps/index',
  status: 200,
  errors: [locked],
  refuses: { 400: 'the dataset has fewer rows than a map needs' },
  input: z.strictObject({
    project_id: id,
    index_name: name.nullish(),
    indexed_field: z.string().nullable(),
    colorable_fields: listed(z.string()),
    modality: z.string().nullish(),
    model: z.string().nullable(),
    model_hyperparameters: required,
    nearest_neighbor_index: z.string().nullable(),
    nearest_neighbor_index_hyperparameters: required,
    projection: z.string().nullable(),
    projection_hyperparameters: required,
    topic_model_hyperparameters: hyperparameters,
    duplicate_detection_hyperparameters: hyperparameters,
    atomizer_strategies: z.array(z.string()).nullish(),
    geometry_strategies: z.array(z.array(z.string())).nullish(),
    reuse_atoms_and_embeddings_from: z.string().nullish(),
    build_from_versioned_dataset: z.boolean().nullish(),
    build_map_using_resources: z.boolean().nullish(),
    upload_checkpoint: z.number().nullish(),
    latest_addition_timestamp: z.number().nullish(),
  }),
  output: z.looseObject({ job_id: z.string(), projection_id: z.string().nullish() }),
});

/**
 * Brings every index of a dataset up to its data: rows added since it was built are placed, deleted ones leave. The answer
 * comes at once; the dataset is locked, and each index reports its progress, until it is done (assumption). Repeating it
 * with nothing new does nothing. The text calls the operation deprecated and names no other for the same.
 */
export const update = defineEndpoint({
  method: 'POST',
  path: '/v1/project/update_indices',
  summary: 'Update the indices of a dataset with its additions and deletions.',
  effect: 'reconcile',
  deprecated: { instead: null },
  lookup: {
    before: async ({ project_id }, ask) => staleIndices(await datasetNow(project_id, ask)),
    find: async ({ project_id }, stale, ask) => (updateReceived(await datasetNow(project_id, ask), stale) ? { answer: null } : 'absent'),
  },
  limit: 'maps/index',
  status: 200,
  errors: [locked],
  // The text gives no body.
  answer: 'nothing',
  input: z.strictObject({ project_id: id, rebuild_topic_models: flag }),
  output: z.unknown(),
});

export const remove = defineEndpoint({
  method: 'POST',
  path: '/v1/project/index/remove',
  summary: 'Remove an index with its maps.',
  effect: 'idempotent',
  irreversible: true,
  limit: 'maps/index',
  status: 200,
  errors: [locked],
  input: z.strictObject({ project_id: id, index_id: id }),
  output: acknowledged,
});

export const job = defineEndpoint({
  method: 'GET',
  path: '/v1/project/index/job/{job_id}',
  summary: 'An index job, with the id of its index.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  input: z.object({ job_id: z.string().min(1) }),
  output: z.looseObject({
    id: z.string(),
    index_id: z.string(),
    job_start_timestamp: z.string().nullish(),
    job_end_timestamp: z.string().nullish(),
    total_datums_remaining_to_atomize: z.int().nullish(),
    total_atoms_remaining_to_embed: z.int().nullish(),
  }),
});

/** `result` is a percentage. The build has ended at stage `Completed` (or `Done`); any other is a stage on the way, or `Failed`. */
export const progress = defineEndpoint({
  method: 'GET',
  path: '/v1/project/index/job/progress/{index_id}',
  summary: 'How far the build of an index is.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  input: z.object({ index_id: z.string().min(1) }),
  output: z.looseObject({
    result: z.number().nullish(),
    index_build_stage: z.string().nullish(),
    job_start_timestamp: z.string().nullish(),
    job_end_timestamp: z.string().nullish(),
  }),
});

/** Outside the text: the jobs of an index, also where its progress stands still for good. Statuses and states are open words. */
export const status = defineEndpoint({
  method: 'GET',
  path: '/v1/project/jobs/status/{index_id}',
  summary: 'The jobs of an index: begun, ended or failed.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  input: z.object({ index_id: z.string().min(1) }),
  output: z.looseObject({
    index_id: z.string().nullish(),
    status: z.string().nullish(),
    jobs: listed(z.looseObject({ job_type: z.string().nullish(), state: z.string().nullish() })),
  }),
});
