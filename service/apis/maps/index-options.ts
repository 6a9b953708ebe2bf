import { z } from 'zod';
import type { create } from '../../../contracts/maps/indices.ts';
import type { ServiceReadings } from '../../core/readings.ts';
import { invalid } from '../../core/errors.ts';
import type { DatasetState } from '../../engine/datasets/dataset.ts';
import { blobColumn, isTextModel, isVisionModel } from '../../../contracts/maps/models.ts';
import { mostCompared } from '../../engine/datasets/label-duplicates.ts';
import { labelOptions, wantedLabels } from '../../engine/labels/options.ts';
import { projectionSettings } from '../../engine/projection/settings.ts';
import { versionStamp } from './data.ts';

/** The order of an index, as its contract takes it. */
export type IndexInput = z.output<typeof create.input>;

/** A field of JSON text as an object; 422 for any other text. */
export const hyperparameters = (field: string, json: string | null | undefined): Record<string, unknown> => {
  if (json === null || json === undefined || json === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Refused below, as any other JSON that is not an object.
  }
  throw invalid(field, 'must be the text of a JSON object');
};

/** Whether an order is for a map without vectors, at random coordinates. */
export const isPlain = ({ model, projection_hyperparameters: projection }: IndexInput): boolean =>
  model === null && hyperparameters('projection_hyperparameters', projection)['model'] === 'random';

/** Names that the service does not have: 422 at once, or nothing where it finds out when it builds. */
const checkNames = (readings: ServiceReadings, input: IndexInput): void => {
  const { model, projection } = input;
  if (readings.of('plain-map') === 'refused' && isPlain(input))
    throw invalid('projection_hyperparameters', 'unknown projection model "random"');
  if (readings.of('names') === 'vendor') {
    if (model?.startsWith('svc-')) throw invalid('model', `unknown model ${JSON.stringify(model)}`);
    if (projection?.startsWith('Svc')) throw invalid('projection', `unknown projection ${JSON.stringify(projection)}`);
  }
  if (readings.of('model-check') === 'at-once' && model !== null && !isTextModel(model) && !isVisionModel(model))
    throw invalid('model', `unknown model ${JSON.stringify(model)}`);
};

/** 422 for images by a model of text, and for texts by a model of images. */
const checkImages = ({ model, indexed_field }: IndexInput): void => {
  if (model === null || isVisionModel(model) === (indexed_field === blobColumn)) return;
  throw indexed_field === blobColumn
    ? invalid('model', `${blobColumn} holds images: name svc-embed-vision-v1 or svc-embed-vision-v1.5`)
    : invalid('indexed_field', `a model of images embeds the blobs that ${blobColumn} names: name that column`);
};

/** 422 for another modality (deprecated by the hosted service, and sent by public clients) than what is embedded says. */
const checkModality = (input: IndexInput): void => {
  const { model, modality } = input;
  if (modality === null || modality === undefined) return;
  const meant = model === null ? 'embedding' : isVisionModel(model) ? 'image' : 'text';
  // A map without vectors is of rows of any.
  if (modality !== meant && !(isPlain(input) && ['text', 'image', 'embedding'].includes(modality)))
    throw invalid('modality', `${JSON.stringify(modality)} is not what this order is of, which is ${JSON.stringify(meant)}: leave it out`);
};

/** 422 for columns that the dataset does not have, for topics by what is no text, and for hashes of blobs that are to be embedded as text. */
const checkColumns = ({ columns }: DatasetState, input: IndexInput): void => {
  const known = new Set(columns.map(({ name }) => name));
  const topic = hyperparameters('topic_model_hyperparameters', input.topic_model_hyperparameters)['community_description_target_field'];
  const wanted = [
    ...input.colorable_fields.map((name) => ({ field: 'colorable_fields', name })),
    ...(typeof topic === 'string' ? [{ field: 'topic_model_hyperparameters', name: topic }] : []),
  ];
  const missing = known.size > 0 ? wanted.find(({ name }) => !known.has(name)) : undefined;
  if (missing)
    throw invalid(
      missing.field,
      `${JSON.stringify(missing.name)} is not a column of this dataset; its columns are ${[...known].join(', ')}`,
    );
  const named = columns.find(({ name }) => name === topic);
  if (named && named.type !== 'string')
    throw invalid('topic_model_hyperparameters', `${JSON.stringify(topic)} holds ${named.type} values; topics are named by texts`);
  checkImages(input);
};

/** 422 for another version of the data than the one that is there: the local service keeps no others. */
const checkVersion = (readings: ServiceReadings, { checkpoint, addedAt }: DatasetState, input: IndexInput): void => {
  const now = { upload_checkpoint: checkpoint, latest_addition_timestamp: versionStamp(readings, addedAt) };
  for (const field of ['upload_checkpoint', 'latest_addition_timestamp'] as const) {
    const asked = input[field];
    if (asked !== null && asked !== undefined && asked !== now[field])
      throw invalid(field, `${asked} is not the version of the data, which is ${now[field]}; only that can be built`);
  }
};

/** 422 for an index whose vectors this one cannot have. */
const checkReused = ({ indices }: DatasetState, { reuse_atoms_and_embeddings_from: reused, model, indexed_field }: IndexInput): void => {
  if (!reused) return;
  const refuse = (reason: string): never => {
    throw invalid('reuse_atoms_and_embeddings_from', `${reused} ${reason}`);
  };
  const index = indices.find(({ index_id }) => index_id === reused) ?? refuse('is not an index of this dataset');
  if (index.stage !== 'Completed') refuse('is not built to its end');
  if (index.model !== model || index.indexed_field !== indexed_field)
    refuse(`holds vectors of ${JSON.stringify(index.indexed_field)} by ${JSON.stringify(index.model)}: name the same field and model`);
};

/** Search is exact: what a graph of neighbours would be built with is obeyed by every setting. */
const neighbors = z.strictObject({
  space: z.enum(['l2', 'cosine', 'ip']).nullish(),
  ef_construction: z.int().min(1).nullish(),
  M: z.int().min(1).nullish(),
});

const embedders = z.strictObject({
  dataset_buffer_size: z.int().min(1).nullish(),
  batch_size: z.int().min(1).nullish(),
  polymerize_by: z.enum(['charchunk']).nullish(),
  norm: z.enum(['both']).nullish(),
});

/** What each text of options may hold. */
const optionSchemas = {
  model_hyperparameters: embedders,
  nearest_neighbor_index_hyperparameters: neighbors,
  projection_hyperparameters: projectionSettings,
  ...labelOptions,
} as const;

/** 422 for an option that the service does not have: none is taken and then ignored. */
const checkOptions = (input: IndexInput): void => {
  const { nearest_neighbor_index: graph, projection } = input;
  if (graph && graph !== 'HNSWIndex')
    throw invalid('nearest_neighbor_index', `${JSON.stringify(graph)} is not built by the local service: name "HNSWIndex" or null`);
  if (projection && !/^[A-Z][a-z]*Project$/.test(projection))
    throw invalid('projection', `${JSON.stringify(projection)} is not built by the local service: name "SvcProject" or null`);
  for (const [field, schema] of Object.entries(optionSchemas)) {
    const parsed = schema.safeParse(hyperparameters(field, input[field as keyof typeof optionSchemas]));
    if (!parsed.success) {
      const [{ path, message }] = parsed.error.issues as [z.core.$ZodIssue];
      throw invalid(field, path.length === 0 ? message : `${path.join('.')}: ${message}`);
    }
  }
};

/** 422 for topics and duplicates of a map that has no vectors, or too many points. */
const checkLabels = ({ rows }: DatasetState, input: IndexInput): void => {
  const { topics, duplicates } = wantedLabels({ options: JSON.stringify(input) });
  const field = topics ? 'topic_model_hyperparameters' : 'duplicate_detection_hyperparameters';
  if (isPlain(input) && (topics || duplicates)) throw invalid(field, 'made of vectors, and this map has none: leave it out');
  if (duplicates && rows > mostCompared)
    throw invalid(
      'duplicate_detection_hyperparameters',
      `each point is compared with every other, among ${mostCompared} at most, and there are ${rows}: leave it out`,
    );
};

/** Public clients name both always; of a row there is one atom. */
const strategies = new Set(['document', 'charchunk']);

/** 422 for a way to build that the local service does not have. */
const checkWays = (input: IndexInput): void => {
  for (const field of ['build_from_versioned_dataset', 'build_map_using_resources'] as const)
    if (input[field]) throw invalid(field, 'not built by the local service: leave it out');
  for (const field of ['atomizer_strategies', 'geometry_strategies'] as const) {
    const asked = input[field]?.flat();
    if (asked && !asked.includes('document')) throw invalid(field, 'the local service makes one atom of each row: name "document"');
    const other = asked?.find((each) => !strategies.has(each));
    if (other !== undefined) throw invalid(field, `${JSON.stringify(other)} is not known to the local service: name "document"`);
  }
};

/** Holds an order against the dataset and against what the service can build; 422 naming the field. */
export const checkOrder = (readings: ServiceReadings, facts: DatasetState, input: IndexInput): void => {
  for (const [field, value] of Object.entries(input))
    if (field.endsWith('hyperparameters')) hyperparameters(field, value as string | null | undefined);
  checkNames(readings, input);
  checkModality(input);
  checkColumns(facts, input);
  checkVersion(readings, facts, input);
  checkReused(facts, input);
  checkWays(input);
  checkOptions(input);
  checkLabels(facts, input);
};
