import { z } from 'zod';
import { define, type Facts, type PlannedCalls } from '../../step.ts';
import { looksWithin, mostOf } from '../bounds.ts';
import { short } from '../timeouts.ts';

const day = 86_400_000;

const itemsOf = ({ items, dataset }: Facts): number | undefined => mostOf([items, dataset?.rows]);

const secondsOf = (embed: string | undefined, items: number): number => 1 + items / (embed === undefined ? 50_000 : 150);

const looks = (embed: string | undefined, facts: Facts): PlannedCalls => {
  const items = itemsOf(facts);
  const min = facts.dataset?.exists === false ? 1 : 0;
  return items === undefined
    ? { operation: 'maps.indices.progress', min, max: null, because: 'how long the build takes depends on rows that nobody has counted' }
    : { operation: 'maps.indices.progress', min, max: looksWithin(secondsOf(embed, items)) };
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
  input: z.strictObject({
    dataset: z.guid().describe('Dataset id (uuid).'),
    embed: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Column whose text is embedded, or `_embeddings` for the vectors that the dataset brings itself. Absent: a map without vectors, at random coordinates.',
      ),
    model: z.string().default('svc-embed-text-v1').describe('Embedding model of the service.'),
    onChange: z
      .enum(['update', 'rebuild'])
      .default('update')
      .describe('The data changed since the map was built: `update` keeps the map and its id, `rebuild` makes a new one beside it.'),
    name: z.string().min(1).max(80).default('map').describe('Name of the map; the build adds a mark of data and options.'),
  }),
  output: z.object({
    id: z.string().describe('Map id (projection id, uuid).'),
    index: z.string().describe('Index id (uuid).'),
    dataset: z.string(),
    url: z.string(),
    points: z.int(),
    embedding: z.string().nullable().describe('Column that was embedded.'),
    built: z.boolean().describe('False where the map was there already.'),
    updated: z.boolean().describe('True where the map was there and was brought up to the data.'),
  }),
  forecast: (input, facts) => ({
    does:
      input?.embed === undefined ? `map ${points(itemsOf(facts))} at random coordinates` : `embed ${points(itemsOf(facts))}, build the map`,
    calls: [
      { operation: 'maps.indices.create', min: facts.dataset?.exists ? 0 : 1, max: 1 },
      { operation: 'maps.indices.update', min: 0, max: facts.dataset?.exists && input?.onChange !== 'rebuild' ? 1 : 0 },
      { operation: 'maps.projects.get', min: 1, max: 4 },
      { operation: 'maps.data.lastModified', min: 1, max: 3 },
      { operation: 'maps.indices.job', min: 0, max: 1 },
      looks(input?.embed, facts),
    ],
    seconds: secondsOf(input?.embed, itemsOf(facts) ?? 1_000),
    ...(itemsOf(facts) === undefined ? {} : { items: itemsOf(facts)! }),
  }),
  example: { dataset: '${{ steps.dataset.id }}', embed: 'text' },
});

const points = (items: number | undefined): string => (items === undefined ? 'all points' : `${items.toLocaleString('en-US')} points`);
