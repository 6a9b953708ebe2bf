import { z } from 'zod';
import { define, type PlannedCalls } from '../../step.ts';
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
    if (!inspected) return { does: 'add rows', calls: [{ operation: 'maps.data.addArrow', min: 0, max: 1_000 }], seconds: 1 };
    const shards = Math.max(
      1,
      Math.ceil(inspected.rows / shardRows),
      typeof input?.source === 'string' ? Math.ceil(inspected.bytes / shardBytes) : 0,
    );
    const replaces = input?.onChange === 'replace' && facts.newDataset !== true;
    return {
      does: `${count(inspected.rows)} rows in ${count(shards)} shard${shards === 1 ? '' : 's'}, ${bytes(inspected.bytes)}`,
      calls: [
        { operation: 'maps.data.addArrow', min: facts.newDataset === false ? 0 : shards, max: shards },
        { operation: 'maps.projects.get', min: 2, max: replaces ? 20 : 2 },
        ...(replaces ? replacing(inspected.rows) : []),
        { operation: 'maps.data.get', min: 0, max: facts.newDataset === true ? 0 : 2 * Math.ceil(inspected.rows / 1_000) },
      ],
      seconds: 0.5 + inspected.rows / 40_000,
      items: inspected.rows,
    };
  },
  example: {
    dataset: '${{ steps.dataset.id }}',
    source: 'data/movies.json',
    id: { row: true },
    columns: { title: 'Title', year: 'date_part(\'year\', "Release Date")' },
  },
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
