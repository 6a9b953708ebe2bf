import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, listed, orElse } from './common.ts';
import { selection } from './selection.ts';

const count = (otherwise: number) => orElse(z.int().min(1), otherwise);
const real = (otherwise: number) => orElse(z.number(), otherwise);
const optional = <T extends z.ZodType>(schema: T) => orElse(schema, null);
const none = z.looseObject({});
const components = z.looseObject({ n_components: orElse(z.int().min(1).max(64), 2) });
const hosted = { n_noise: optional(z.int()), n_epochs: count(50), spread: real(1), min_dist: real(0.4), n_init_epochs: count(20) };
const textModels = ['svc-embed-text-v1', 'svc-embed-text-v1.5', 'svc-embed-text-v2', 'gte-multilingual-base'] as const;

/** Of `local_neighborhood_size`, which stands for a setting of the hosted projections, where none is named. */
export const localNeighborhood = 32;

/** The parameters of each kind of resource, with their defaults; further ones are allowed. */
export const resourceKinds = {
  DATASET_CHECKPOINT: z.looseObject({
    composite_filter: optional(selection),
    columns: optional(z.array(z.string()).min(1)),
    timestamp: optional(z.number()),
  }),
  EMBEDDING_SET: z.looseObject({ embedding_target: optional(z.string()) }),
  EMBEDDING_SET_INFERRED: z.looseObject({
    source_column: z.string().min(1),
    embedding_model: z.enum([...textModels, 'svc-embed-vision-v1', 'svc-embed-vision-v1.5']),
  }),
  HNSW_INDEX: z.looseObject({
    n_neighbors: count(15),
    ef_construction: count(64),
    M: orElse(z.int().min(2).max(128), 32),
    local_neighborhood_size: count(localNeighborhood),
  }),
  EMBEDDING_DERIVED_2D_COORDINATE_SET: z.looseObject({
    dims: orElse(z.tuple([z.int().min(0), z.int().min(0)]), [0, 1] as [number, number]),
  }),
  RANDOM_COORDINATE_SET: none,
  UMAP_COORDINATE_SET: z.looseObject({
    n_neighbors: orElse(z.int().min(2).max(200), 15),
    min_dist: orElse(z.number().min(0), 0.1),
    metric: orElse(z.enum(['euclidean', 'cosine']), 'euclidean' as const),
    repulsion_strength: real(1),
    negative_sample_rate: count(5),
    n_epochs: optional(z.int().min(1).max(5_000)),
    cluster_unique_points: orElse(z.boolean(), true),
  }),
  TSNE_COORDINATE_SET: z.looseObject({
    perplexity: orElse(z.number().min(1).max(200), 30),
    early_exaggeration: orElse(z.union([z.literal('auto'), z.number().min(1)]), 'auto' as const),
    early_exaggeration_iter: orElse(z.int().min(0).max(5_000), 250),
    n_iter: orElse(z.int().min(1).max(5_000), 500),
    exaggeration: optional(z.number().min(1)),
  }),
  SVD_COORDINATE_SET: components,
  PCA_COORDINATE_SET: components,
  NPV1_COORDINATE_SET: z.looseObject(hosted),
  NPV2_COORDINATE_SET: z.looseObject({ ...hosted, rho: orElse(z.number().min(0).max(1), 0.6) }),
  CLUSTER_ASSIGNMENT: z.looseObject({ cluster_method: optional(z.enum(['fast'])), enforce_hierarchy: orElse(z.boolean(), true) }),
  HDBSCAN_CLUSTER_ASSIGNMENT: z.looseObject({
    cluster_method: optional(z.enum(['eom'])),
    min_cluster_size: orElse(z.int().min(2), 15),
    min_samples: count(15),
  }),
  CHECKPOINT_DESCRIPTION: z.looseObject({ fields: optional(z.array(z.string()).min(1)), maximum_characters: count(10_000) }),
  QUADTREE: z.looseObject({ colorable_fields: listed(z.string()) }),
  DUPLICATES: z.looseObject({ duplicate_cutoff: orElse(z.number().min(0).max(2), 0.1) }),
  KEYWORDS_TOPIC_LABEL: z.looseObject({
    target_field: z.string().min(1),
    jaccard_similarity_threshold: orElse(z.number().min(0).max(1), 0.62),
  }),
  LLM_TOPIC_LABEL: none,
  TOPIC_LABEL_POSITIONS: none,
  MAP_CHECKPOINT: z.looseObject({ map_id: optional(id), email_type: orElse(z.enum(['Dataset ready', 'None']), 'Dataset ready' as const) }),
  SIDECAR_FROM_PARQUET: z.looseObject({ sidecar_name: z.string().min(1) }),
  EMBEDDING_SIDECAR: none,
  SIDECAR_FROM_DATA_TABLE: z.looseObject({ column_names: z.array(z.string()).min(1) }),
  CLUSTER_SIDECAR: none,
  OPENGRAPH_IMAGE: z.looseObject({ map_id: id, color_column: optional(z.string()) }),
} as const;

export type ResourceKind = keyof typeof resourceKinds;

/** Kinds are named with the suffix of their requests, or without it. */
const kind = z
  .string()
  .transform((name) => name.replace(/_REQUEST$/, ''))
  .pipe(z.enum(Object.keys(resourceKinds) as [ResourceKind, ...ResourceKind[]]));

/** One resource that is asked for: `ref` is its name among those of the request, and parameters stand beside the other fields. */
const request = z
  .looseObject({
    resource_type: kind,
    ref: z.string().min(1),
    dataset_id: id,
    dependencies: orElse(z.record(z.string(), z.union([z.string(), z.array(z.string())])), {}),
  })
  .transform((item, context) => {
    const { resource_type, ref, dataset_id, dependencies, ...given } = item;
    const parsed = resourceKinds[resource_type].safeParse(given);
    for (const { path, message } of parsed.error?.issues ?? []) context.addIssue({ code: 'custom', path, message });
    return { ...parsed.data, resource_type, ref, dataset_id, dependencies };
  });

export type ResourceRequest = z.output<typeof request>;

/** `dependencies` are ids, `result` says what was built, `error` why it was not: beside the fields that are known. */
const resource = z.looseObject({
  type: z.string(),
  id: z.string(),
  dataset_id: z.string(),
  status: z.string(),
  params: z.record(z.string(), z.unknown()).nullish(),
});

const input = { project_id: id };

export const list = defineEndpoint({
  method: 'GET',
  path: '/v1/project/{project_id}/resources',
  summary: 'The resources of a dataset, and what became of them.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  input: z.object(input),
  output: z.array(resource),
});

/** Sending twice makes all of them twice: a lost answer is looked up among those that were not there before, by their kinds in order. */
export const create = defineEndpoint({
  method: 'POST',
  path: '/v1/project/{project_id}/resources',
  summary: 'Create resources that stand on each other, each when what it stands on is there.',
  effect: 'reconcile',
  lookup: {
    before: async ({ project_id }, ask) => (await ask(list, { project_id })).map((each) => each.id),
    async find({ project_id, resources }, before, ask) {
      const made = (await ask(list, { project_id })).filter((each) => !before.includes(each.id));
      if (made.length === 0) return 'absent';
      const same = made.length === resources.length && made.every(({ type }, at) => type === resources[at]!.resource_type);
      return same ? { answer: made } : { unknown: `${made.length} resources were made since, and others may have made them` };
    },
  },
  limit: 'maps/index',
  status: 200,
  wholeBody: 'resources',
  input: z.object({ ...input, resources: z.array(request).min(1).max(200) }),
  output: z.array(resource),
});
