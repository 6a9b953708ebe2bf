import { z } from 'zod';
import { blobColumn, isTextModel, isVisionModel } from '../../../contracts/maps/models.ts';
import { name } from '../../../contracts/name.ts';
import { define, type Facts, type PlannedCalls } from '../../step.ts';
import { mostOf } from '../bounds.ts';
import { looksWithin } from '../looks.ts';
import { short } from '../timeouts.ts';
import { datasetId, indexId, mapId } from '../ids.ts';

const day = 86_400_000;

const itemsOf = ({ items, dataset }: Facts): number | undefined => mostOf([items, dataset?.rows]);

const secondsOf = (embed: string | undefined, items: number): number => 1 + items / (embed === undefined ? 50_000 : 150);

/** How often a build or an update is looked at; null where nobody has counted the rows. */
const mostLooks = (embed: string | undefined, facts: Facts): number | null => {
  const items = itemsOf(facts);
  return items === undefined ? null : looksWithin(secondsOf(embed, items));
};

const calls = (input: { embed?: string | undefined; onChange?: string | undefined } | undefined, facts: Facts): PlannedCalls[] => {
  const isNew = facts.dataset?.exists === false;
  const updates = !isNew && input?.onChange !== 'rebuild';
  const looks = mostLooks(input?.embed, facts);
  const times = (operation: PlannedCalls['operation'], min: number, beside: number, perLook: number): PlannedCalls =>
    looks === null && perLook > 0
      ? { operation, min, max: null, because: 'how long the build takes depends on rows that nobody has counted' }
      : { operation, min, max: beside + perLook * (looks ?? 0) };
  return [
    { operation: 'maps.indices.create', min: isNew ? 1 : 0, max: 1 },
    updates
      ? { operation: 'maps.indices.update', min: 0, max: 1, because: 'more where the service does not begin one' }
      : { operation: 'maps.indices.update', min: 0, max: 0 },
    { operation: 'maps.indices.job', min: isNew ? 1 : 0, max: 1 },
    times('maps.projects.get', 3, 3, updates ? 2 : 1),
    times('maps.data.lastModified', 1, updates ? 2 : 1, updates ? 1 : 0),
    times('maps.indices.progress', 1, 1, updates ? 2 : 1),
    times('maps.indices.status', 0, 0, 1),
    times('maps.data.get', 0, 0, updates ? 1 : 0),
  ];
};

export const definition = define({
  name: 'index.build',
  summary: 'Build a searchable map of a dataset, unless one of the same data and options is there.',
  kind: 'poll',
  effect: 'reconcile',
  operations: [
    'maps.projects.get',
    'maps.data.lastModified',
    'maps.indices.create',
    'maps.indices.update',
    'maps.indices.job',
    'maps.indices.progress',
    'maps.indices.status',
    'maps.data.get',
  ],
  timeouts: { ...short, pollMs: day },
  dataset: { field: 'dataset', as: 'reads' },
  input: z
    .strictObject({
      dataset: datasetId.taken,
      embed: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Column whose text is embedded, `_blob_hash` for images (with a model of images, such as svc-embed-vision-v1.5), or `_embeddings` for the vectors that the dataset brings itself. Absent: a map without vectors, at random coordinates.',
        ),
      topics: z
        .string()
        .min(1)
        .optional()
        .describe('Column of texts whose words name the topics of the map, which stand on it as labels. Absent: a map without topics.'),
      model: z.string().default('svc-embed-text-v1').describe('Embedding model of the service.'),
      onChange: z
        .enum(['update', 'rebuild'])
        .default('update')
        .describe('The data changed since the map was built: `update` keeps the map and its id, `rebuild` makes a new one beside it.'),
      name: name.max(80).default('map').describe('Name of the map; the build adds a mark of data and options.'),
    })
    .refine(({ embed, topics }) => topics === undefined || embed !== undefined, {
      path: ['topics'],
      error: 'topics are found among vectors',
      params: { remedy: 'name what is embedded beside it: embed: text' },
    })
    // Models that are not known here are the service's to judge.
    .refine(({ embed, model }) => embed !== blobColumn || !isTextModel(model), {
      path: ['model'],
      error: `a model of texts embeds no images, which ${blobColumn} names`,
      params: { remedy: 'name a model of images: model: svc-embed-vision-v1.5' },
    })
    .refine(({ embed, model }) => embed === undefined || embed === '_embeddings' || embed === blobColumn || !isVisionModel(model), {
      path: ['embed'],
      error: 'a model of images embeds no texts',
      params: { remedy: `name the column of the images, embed: ${blobColumn}, or a model of texts` },
    }),
  output: z.object({
    id: mapId.given.describe('Map id (projection id, uuid).'),
    index: indexId.given,
    dataset: datasetId.given,
    url: z.string(),
    points: z.int(),
    embedding: z.string().nullable().describe('Column that was embedded.'),
    built: z.boolean().describe('False where the map was there already.'),
    updated: z.boolean().describe('True where the map was there and was brought up to the data.'),
  }),
  embeds: (input) => input?.embed !== undefined && input.embed !== '_embeddings' && input.embed !== blobColumn,
  columns: (input) =>
    (['embed', 'topics'] as const).flatMap((field) =>
      input?.[field] === undefined ? [] : [{ column: input[field], path: [field], ask: 'embed' as const }],
    ),
  forecast: (input, facts) => ({
    does:
      input?.embed === undefined ? `map ${points(itemsOf(facts))} at random coordinates` : `embed ${atMost(itemsOf(facts))}, build the map`,
    calls: calls(input, facts),
    seconds: secondsOf(input?.embed, itemsOf(facts) ?? 1_000),
    ...(itemsOf(facts) === undefined ? {} : { items: itemsOf(facts)! }),
  }),
  example: { dataset: '${{ steps.dataset.id }}', embed: 'text' },
});

/** A map that is there is not made anew: what has not changed is not embedded again. */
const atMost = (items: number | undefined): string => (items === undefined ? 'all points' : `≤ ${points(items)}`);

const points = (items: number | undefined): string => (items === undefined ? 'all points' : `${items.toLocaleString('en-US')} points`);
