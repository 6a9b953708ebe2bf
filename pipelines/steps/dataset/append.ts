import { z } from 'zod';
import { define, type PlannedCalls } from '../../step.ts';
import { heldAfter } from '../bounds.ts';
import { factsOf, source } from '../source.ts';
import { long } from '../timeouts.ts';

/** Rows of one add/arrow call: the cap of public clients (api: 5,000 rows, 16,000,000 bytes). */
export const shardRows = 5_000;
export const shardBytes = 16_000_000;

export const definition = define({
  name: 'dataset.append',
  summary: 'Add the rows of a table to a dataset; rows that are there already are not sent again.',
  kind: 'sweep',
  effect: 'idempotent',
  operations: [
    'maps.projects.get',
    'maps.data.get',
    'maps.data.delete',
    'maps.data.addArrow',
    'maps.data.lastModified',
    'maps.indices.update',
    'maps.indices.progress',
  ],
  timeouts: long,
  window: 4,
  paths: ['source'],
  dataset: { field: 'dataset', as: 'writes' },
  input: z.strictObject({
    dataset: z.guid().describe('Dataset id (uuid).'),
    source,
    id: z
      .union([
        z.strictObject({ column: z.string().min(1).describe('Source column with unique ids of at most 36 characters.') }),
        z.strictObject({ row: z.literal(true).describe('24 hex digits of a hash of the row, stable under reordering.') }),
      ])
      .describe('Where the id of a row comes from.'),
    columns: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'Dataset column: a source column by its name, or a scalar SQL expression. Columns not listed are dropped. Default: all as they are. `_embeddings` takes own vectors: lists of numbers of one length.',
      ),
    onChange: z
      .enum(['report', 'replace'])
      .default('report')
      .describe(
        'A known id whose row differs: `report` it and send nothing, or `replace` the row: it is deleted, the deletion is committed by an update of the maps, the new row is added and read back; maps show it after their next update. Own vectors are not compared.',
      ),
  }),
  output: z.object({
    dataset: z.string(),
    rows: z.int().describe('Rows of the source.'),
    added: z.int(),
    present: z.int().describe('Rows that the dataset held already.'),
    changed: z.int().describe('Known ids whose row differs: reported, not sent.'),
    replaced: z.int().describe('Known ids whose row differed and was replaced.'),
    rejected: z.int().describe('Rows that break the type rules: in the ledger with the reason.'),
    columns: z.array(z.string()),
  }),
  forecast: (input, facts) => {
    const inspected = factsOf(input?.source, facts);
    const replaces = input?.onChange === 'replace' && (facts.dataset?.rows ?? 1) > 0;
    const replaced = Math.min(inspected?.rows ?? Infinity, facts.dataset?.rows ?? Infinity);
    const acts = replaces
      ? {
          perhapsIrreversible: [
            `replace ${Number.isFinite(replaced) ? `≤ ${count(replaced)} ` : ''}changed rows: each is deleted and added anew`,
          ],
        }
      : {};
    if (!inspected) {
      const unknown = { min: 0, max: null, because: 'the source is not readable on this host' };
      const operations = ['maps.data.addArrow', 'maps.data.get', ...(replaces ? (['maps.data.delete'] as const) : [])] as const;
      return { does: 'add rows', calls: operations.map((operation) => ({ operation, ...unknown })), seconds: 1, ...acts };
    }
    const shards = Math.max(
      1,
      Math.ceil(inspected.rows / shardRows),
      typeof input?.source === 'string' ? Math.ceil(inspected.bytes / shardBytes) : 0,
    );
    return {
      does: `${count(inspected.rows)} rows in ${count(shards)} shard${shards === 1 ? '' : 's'}, ${bytes(inspected.bytes)}`,
      calls: [
        {
          operation: 'maps.data.addArrow',
          min: facts.dataset?.rows ? 0 : shards,
          max: shards + (replaces ? Math.ceil(replaced / shardRows) : 0),
        },
        { operation: 'maps.projects.get', min: 2, max: replaces ? 20 : 2 },
        ...(replaces ? replacing(replaced) : []),
        lookups(inspected.rows, facts.dataset?.rows),
      ],
      seconds: 0.5 + inspected.rows / 40_000,
      items: heldAfter(inspected.rows, facts),
      ...acts,
    };
  },
  example: {
    dataset: '${{ steps.dataset.id }}',
    source: 'data/movies.json',
    id: { row: true },
    columns: { title: 'Title', year: 'date_part(\'year\', "Release Date")' },
  },
});

/** Look-ups of known rows: one for each 1,000 ids, and one more where the answer names ids that are new. */
const lookups = (ids: number, held: number | undefined): PlannedCalls => ({
  operation: 'maps.data.get',
  min: 0,
  max: held === 0 ? 0 : 2 * Math.ceil(ids / 1_000),
  ...(held === 0 ? {} : { because: 'more where the service does not name the ids that it does not know' }),
});

const count = (value: number): string => value.toLocaleString('en-US');
const bytes = (value: number): string => (value < 1_000_000 ? `${Math.ceil(value / 1_000)} kB` : `${(value / 1_000_000).toFixed(1)} MB`);

/** Calls that rows which changed cost beside their addition: at most, every row has changed. */
const replacing = (rows: number): PlannedCalls[] => [
  { operation: 'maps.data.delete', min: 0, max: Math.ceil(rows / 2_500) },
  { operation: 'maps.indices.update', min: 0, max: 2 },
  { operation: 'maps.indices.progress', min: 0, max: 4 + Math.ceil(rows / 500) },
  { operation: 'maps.data.lastModified', min: 0, max: 4 + Math.ceil(rows / 500) },
];
