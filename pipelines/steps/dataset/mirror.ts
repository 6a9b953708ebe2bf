import { z } from 'zod';
import { counted } from '../../../text/units.ts';
import { mostOfShare } from '../../share.ts';
import type { TableFacts } from '../../source-spec.ts';
import { define, type Act, type PlannedCalls } from '../../step.ts';
import { batchesIn } from '../bounds.ts';
import { readsWithin } from '../looks.ts';
import { long } from '../timeouts.ts';
import { appendInput, definition as append, drift } from './append.ts';

/** A share of rows, or a number of them. */
const most = z.union([z.string().regex(/^(100|\d{1,2})(\.\d+)?%$/, 'a share such as 2%'), z.int().min(0)]);

/** What a file says of deletions. */
export const deletes = z
  .strictObject({
    max: most.default('2%').describe('So many rows of the dataset at most, as a share or a number: where more are gone, nothing is sent.'),
    belowHalf: z
      .enum(['refuse', 'allow'])
      .default('refuse')
      .describe('A source of less than half of the rows that it had: `refuse` it as one that was cut, or `allow` it.'),
  })
  .prefault({})
  .describe('Which deletions are taken for what was meant.');

export type Deletes = z.output<typeof deletes>;

/** How many rows may go, of so many. */
export const mostDeleted = ({ max }: Deletes, of: number): number =>
  typeof max === 'number' ? max : mostOfShare(Number.parseFloat(max) / 100, of);

/** Why so many deletions are not taken for what was meant; undefined where they are. `known`: rows that the mirror had put there. */
export function refusedDeletions(
  deletes: Deletes,
  { gone, rows, known }: { gone: number; rows: number; known: number },
): string | undefined {
  if (gone === 0) return undefined;
  if (rows < known / 2 && deletes.belowHalf === 'refuse')
    return `the source has ${counted(rows, 'row')}, less than half of the ${counted(known, 'row')} that it had: it may have been cut. If it is right: deletes: { belowHalf: allow, max: … }`;
  const may = mostDeleted(deletes, known);
  if (gone > may)
    return `${counted(gone, 'row')} of ${counted(known, 'row')} are gone at the source, and at most ${counted(may, 'row')} may be deleted (deletes: { max: ${deletes.max} }). If it is right, raise it: deletes: { max: ${gone} }`;
  return undefined;
}

const deleting = ['maps.data.delete', 'maps.data.get', 'maps.projects.get'] as const;

const goneRows = ({ count, first, unseen, file }: NonNullable<TableFacts['gone']>): string =>
  `delete ${unseen ? '≤ ' : ''}${counted(count, 'row')} gone at the source: ${first.join(', ')}${count > first.length ? ' …' : ''}${file === undefined ? '' : ` (all in ${file})`}`;

export const definition = define({
  name: 'dataset.mirror',
  summary: 'Make the rows of a dataset those of a table: new ones are added, changed ones replaced, and those that are gone deleted.',
  kind: 'sweep',
  effect: 'idempotent',
  operations: append.operations,
  timeouts: long,
  window: 4,
  paths: ['source'],
  tolerates: ['rejected'],
  brings: (input) => input?.columns && Object.keys(input.columns),
  dataset: { field: 'dataset', as: 'writes' },
  input: appendInput.omit({ onChange: true }).extend({
    drift: drift.optional(),
    deletes,
    others: z
      .enum(['refuse', 'keep'])
      .default('refuse')
      .describe('Rows of the dataset that are not in the source, and that this step has not put there: nothing is sent, or they stay.'),
  }),
  output: append.output.omit({ changed: true, since: true }).extend({
    deleted: z.int().describe('Rows that were gone at the source.'),
  }),
  forecast: (input, facts) => {
    const replacing = append.forecast({ ...input, onChange: 'replace' }, facts);
    const { dataset, table, batch, lagMs } = facts;
    const gone = table?.gone;
    // A mirror that has put nothing there deletes nothing.
    if (dataset?.exists === false || gone?.count === 0) return replacing;
    const most = gone?.count ?? null;
    const reads = 2 * (1 + readsWithin(lagMs));
    const because = 'which rows are gone is not known here';
    const act: Act = {
      kind: 'rows deleted',
      says: gone ? goneRows(gone) : 'delete rows that are gone at the source',
      perhaps: true,
      ...(most === null ? { most, because } : { most }),
    };
    const calls: PlannedCalls[] =
      most === null
        ? deleting.map((operation) => ({ operation, min: 0, max: null, because }))
        : [
            { operation: 'maps.data.delete', min: 0, max: batchesIn(most, batch.deletions) },
            { operation: 'maps.data.get', min: 0, max: reads * batchesIn(most, batch.rows, batch.ids) },
            { operation: 'maps.projects.get', min: 0, max: reads },
          ];
    const refused =
      gone?.refused === undefined ? '' : `; REFUSED${gone.unseen ? ' where the dataset holds them all' : ''}: ${gone.refused}`;
    return {
      ...replacing,
      does: `${replacing.does}${gone ? `; ${gone.unseen ? '≤ ' : ''}${counted(gone.count, 'row')} gone` : ''}${refused}`,
      calls: [...replacing.calls, ...calls],
      acts: [...(replacing.acts ?? []), act],
    };
  },
  example: {
    dataset: '${{ steps.dataset.id }}',
    source: 'data/movies.json',
    id: { column: 'imdb_id' },
    deletes: { max: '2%' },
  },
});
