import { z } from 'zod';
import { define, type Act, type Facts, type PlannedCalls } from '../../step.ts';
import { batchesIn, heldAfter, mostOf, notSent } from '../bounds.ts';
import { looksWithin, readsWithin } from '../looks.ts';
import { isS3 } from '../../s3-address.ts';
import { isQuery, isRemote, pathOf } from '../../source-name.ts';
import type { SourceSpec } from '../../source-spec.ts';
import { source } from '../source.ts';
import { readSince, since } from '../since.ts';
import { long } from '../timeouts.ts';
import { counted } from '../../../text/units.ts';
import type { TableFacts } from '../../source-spec.ts';
import { datasetId } from '../ids.ts';

/** What becomes of columns that source and dataset do not have both. */
export const drift = z
  .enum(['fail', 'ignore'], {
    error: ({ input }) =>
      input === 'add'
        ? 'a dataset takes no further columns: its schema is fixed by the first upload. Take a new dataset, or ignore'
        : undefined,
  })
  .describe(
    'Columns that are new at the source, or gone from it, against those of the dataset, whose schema is fixed by its first upload. `fail`: nothing is sent; `ignore`: new ones are left out, those that are gone get no value. Default: new ones are left out, those that are gone refused.',
  );

/** What adding rows takes, whichever way they go. */
export const appendInput = z.strictObject({
  dataset: datasetId.taken,
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
});

/** A table and what is made of it, of a step whose other fields the run may give. */
export const tableInput = appendInput
  .pick({ source: true, id: true, columns: true })
  .extend({ drift: drift.optional(), since: since.optional() })
  .strip();

/** True of a path or glob, whose files are known one by one: of no query, and of no file that is fetched. */
const hasFiles = (source: SourceSpec): boolean => !isQuery(source) && (!isRemote(source) || isS3(pathOf(source)));

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
  tolerates: ['rejected'],
  brings: (input) => input?.columns && Object.keys(input.columns),
  dataset: { field: 'dataset', as: 'writes' },
  input: appendInput
    .extend({ drift: drift.optional(), since: since.optional() })
    .refine(({ id, onChange }) => onChange === 'report' || !('row' in id), {
      error: 'a changed row has another id where the id is made of the row: nothing would be replaced',
      params: { about: 'fields', remedy: 'take a column of unique ids: id: { column: … }' },
      path: ['onChange'],
    })
    .refine(({ source, since }) => !(since && 'files' in since && !hasFiles(source)), {
      error: 'a query is not read file by file, nor what a web server has',
      params: { about: 'fields', remedy: 'take a column that grows: since: { column: … }' },
      path: ['since', 'files'],
    }),
  output: z.object({
    dataset: datasetId.given,
    rows: z.int().describe('Rows of the source.'),
    added: z.int(),
    present: z.int().describe('Rows that the dataset held already.'),
    changed: z.int().describe('Known ids whose row differs: reported, not sent.'),
    replaced: z.int().describe('Known ids whose row differed and was replaced.'),
    rejected: z.int().describe('Rows that break the type rules: in the ledger with the reason.'),
    columns: z.array(z.string()),
    since: readSince.optional(),
  }),
  forecast: (input, facts) => {
    const held = facts.dataset && mostOf([facts.items, facts.dataset.rows]);
    const replaces = input?.onChange === 'replace' && (held ?? 1) > 0;
    const replaced = Math.min(facts.table?.sent ?? Infinity, held ?? Infinity);
    const known = Number.isFinite(replaced);
    const act: Act = {
      kind: 'rows replaced',
      says: `replace ${known ? `≤ ${count(replaced)} ` : ''}changed rows: each is deleted and added anew`,
      perhaps: true,
      ...(known ? { most: replaced } : { most: null, because: 'nobody has counted the rows' }),
    };
    const acts = replaces ? { acts: [act] } : {};
    const ofReplacing = ['maps.data.delete', 'maps.indices.update', 'maps.indices.progress', 'maps.data.lastModified'] as const;
    if (!facts.table) {
      const unknown = { min: 0, max: null, because: unreadOf(input) };
      return {
        does: 'add rows',
        calls: [
          { operation: 'maps.data.addArrow', ...unknown },
          { operation: 'maps.data.get', ...unknown },
          { operation: 'maps.projects.get', ...(replaces ? { ...unknown, min: 2 } : countReads(facts)) },
          ...(replaces ? ofReplacing.map((operation) => ({ operation, ...unknown })) : notSent(...ofReplacing)),
        ],
        seconds: 1,
        items: null,
        ...acts,
      };
    }
    const { rows, sent, shards, bytes } = facts.table;
    const refused = rows - sent;
    return {
      does: `${count(rows)} rows${sinceMark(facts.table)}${refused > 0 ? `, of which ${count(refused)} are refused,` : ''} in ${count(shards)} shard${shards === 1 ? '' : 's'}, ${amount(bytes)}${holdsRows(facts) ? '; those there unchanged are not sent again' : ''}${drifted(facts.table)}`,
      calls: [
        {
          operation: 'maps.data.addArrow',
          // The rows may be there already, unless the dataset is not: a count of 0 may be late. What is replaced is added again, shard by shard.
          min: isEmpty(facts) ? shards : 0,
          max: replaces ? 2 * shards : shards,
        },
        ...(replaces
          ? replacing(sent, replaced, facts)
          : [{ operation: 'maps.projects.get', ...countReads(facts) } as const, ...notSent(...ofReplacing)]),
        lookups(shards, sent, facts),
      ],
      seconds: 0.5 + rows / 40_000,
      items: heldAfter(sent, facts),
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

const sinceMark = ({ since }: TableFacts): string => {
  if (!since) return '';
  const of = `of ${counted(since.of, since.noun)}`;
  if (since.from === undefined) return ` (all ${of}: from which mark a run reads is not known here)`;
  if (since.from === null) return ` (no mark yet: all ${of})`;
  return since.noun === 'file' ? ` (${of}; ${counted(Number(since.from), 'file')} seen)` : ` since ${since.from} (${of})`;
};

const drifted = ({ drift: { added, gone } = { added: [], gone: [] } }: TableFacts): string =>
  `${added.length > 0 ? `; left out, for the dataset has no such column: ${added.join(', ')}` : ''}${gone.length > 0 ? `; without a value, for the source has no such column: ${gone.join(', ')}` : ''}`;

const isWhole = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).every(isWhole) : value !== undefined;

/** Why nothing is known of the rows. */
export const unreadOf = (input: { source?: unknown } | undefined): string =>
  isWhole(input?.source) ? 'the rows could not be read on this host' : 'which rows it reads is known only in the run';

/** A read of the count before, and those after until it is that of all rows. */
const countReads = ({ lagMs }: Facts): { min: number; max: number } => ({ min: 2, max: 1 + readsWithin(lagMs) });

/** The dataset is not there yet, and no step before has filled it. */
export const isEmpty = ({ dataset, items }: Facts): boolean => dataset?.exists === false && items === undefined;

/** Some of the rows may be there already: each is looked up by its id. */
const holdsRows = ({ dataset }: Facts): boolean => dataset?.exists === true && dataset.rows > 0;

/** Look-ups of known rows, shard by shard: one for each batch of ids, and one more where the answer names ids that are new. */
export const lookups = (shards: number, ids: number, facts: Facts): PlannedCalls => ({
  operation: 'maps.data.get',
  min: 0,
  max: isEmpty(facts) ? 0 : 2 * Math.min(ids, shards + Math.ceil(ids / facts.batch.ids)),
  ...(isEmpty(facts) ? {} : { because: 'more where the service does not name the ids that it does not know' }),
});

const count = (value: number): string => value.toLocaleString('en-US');
const amount = (value: number): string => (value < 1_000_000 ? `${Math.ceil(value / 1_000)} kB` : `${(value / 1_000_000).toFixed(1)} MB`);

/**
 * Calls that rows which changed cost beside their addition: at most, every row has changed. Two updates are followed, of which each
 * look reads the dataset, and rows are read before they are deleted, when they are gone, and when they are there again.
 */
function replacing(rows: number, replaced: number, facts: Facts): PlannedCalls[] {
  const { batch, lagMs } = facts;
  const lagging = readsWithin(lagMs);
  const held = heldAfter(rows, facts);
  const looks = held === null ? null : 2 * (1 + looksWithin(1 + held / 150));
  const looked = (operation: PlannedCalls['operation'], beside: number, min = 0): PlannedCalls =>
    looks === null
      ? { operation, min, max: null, because: 'how long its updates take depends on rows that nobody has counted' }
      : { operation, min, max: beside + looks };
  return [
    { operation: 'maps.data.delete', min: 0, max: Math.ceil(replaced / batch.deletions) },
    { operation: 'maps.indices.update', min: 0, max: 2, because: 'more where the service does not begin one' },
    looked('maps.indices.progress', 0),
    looked('maps.data.lastModified', 0),
    looked('maps.projects.get', 2 + 2 * lagging, 2),
    looked('maps.data.get', (1 + 2 * lagging) * Math.max(1, batchesIn(replaced, batch.rows, batch.ids))),
  ];
}
