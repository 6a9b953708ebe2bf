import { z } from 'zod';
import { planParts } from './part-plan.ts';
import { define, type PlannedCalls } from '../../step.ts';
import type { Batches } from '../../../contracts/maps/batches.ts';
import { mostOf, notSent } from '../bounds.ts';
import { definition as append } from './append.ts';
import { definition as upload } from './upload.ts';
import { long } from '../timeouts.ts';

export type Way = 'append' | 'upload';

/** From so many calls of append on a file goes as one: below, reading it twice for its digests costs more than the calls. */
const mostCalls = 20;

/** A dataset with rows is asked for each known id; from so many rows on that costs more than it is worth. */
const mostCompared = 2_000_000;

/**
 * Which way a table goes into a dataset, and why. `held`: rows that the dataset has, undefined where nobody looked yet.
 * An upload does not report which rows were there already, so a dataset with rows prefers append.
 */
export function chooseWay(
  { rows, bytes }: { rows: number; bytes: number },
  { held, replace, since = false, batch }: { held: number | undefined; replace: boolean; since?: boolean; batch: Batches },
): { way: Way; because: string } {
  const calls = Math.max(1, Math.ceil(rows / batch.rows), Math.ceil(bytes / batch.bytes));
  const { parts } = planParts(bytes);
  const number = (value: number): string => value.toLocaleString('en-US');
  const append = (because: string) => ({ way: 'append' as const, because });
  const upload = (because: string) => ({ way: 'upload' as const, because });
  if (rows === 0) return append('there are no rows');
  if (since) return append('rows since a mark are acknowledged one by one');
  if (replace) return append('changed rows are to be replaced, which an upload cannot');
  if (calls <= mostCalls)
    return append(`${number(rows)} rows are ${number(calls)} call${calls === 1 ? '' : 's'}; a file pays from ${mostCalls + 1} on`);
  if (held === undefined || held === 0)
    return upload(`${number(calls)} calls of append against about ${number(parts)} part${parts === 1 ? '' : 's'} of one file`);
  if (rows <= mostCompared) return append(`the dataset has ${number(held)} rows, and an upload does not report which of them it knew`);
  return upload(`${number(rows)} rows are too many to be compared with the ${number(held)} that the dataset has`);
}

export const definition = define({
  name: 'dataset.load',
  summary: 'Add the rows of a table to a dataset by `dataset.append` or `dataset.upload`, whichever suits its size.',
  kind: 'sweep',
  effect: 'reconcile',
  operations: [...append.operations, 'maps.uploads.start', 'maps.uploads.complete'],
  timeouts: long,
  window: 4,
  paths: ['source'],
  tolerates: ['rejected'],
  brings: (input) => input?.columns && Object.keys(input.columns),
  dataset: { field: 'dataset', as: 'writes' },
  input: append.input,
  output: append.output.partial({ changed: true, replaced: true }).extend({
    ...upload.output.pick({ bytes: true, parts: true, sha256: true }).partial().shape,
    way: z.enum(['append', 'upload']),
    because: z.string().describe('Why this way.'),
  }),
  forecast: (input, facts) => {
    const ways = { append: append.forecast(input, facts), upload: upload.forecast(input, facts) };
    const either = [...ways.append.calls, ...ways.upload.calls].map((call) => ({ ...call, min: 0 }));
    if (!facts.table) return { ...ways.append, does: 'add rows by append or upload', calls: either };
    // Rows that steps before have added are there by then.
    const held = facts.dataset && mostOf([facts.items, facts.dataset.rows]);
    const { way, because } = chooseWay(facts.table, {
      held,
      replace: input?.onChange === 'replace',
      since: input?.since !== undefined,
      batch: facts.batch,
    });
    const look: PlannedCalls = { operation: 'maps.projects.get', min: 1, max: 1 };
    // Nobody has looked: a dataset with rows prefers append.
    if (way === 'upload' && held === undefined)
      return {
        ...ways.append,
        does: `upload if the dataset is empty: ${ways.upload.does}; else append: ${ways.append.does}`,
        calls: [...either, look],
      };
    const other = way === 'append' ? upload : append;
    const calls = [
      ...ways[way].calls,
      look,
      ...notSent(...other.operations.filter((each) => !ways[way].calls.some(({ operation }) => operation === each))),
    ];
    return { ...ways[way], does: `${way}: ${ways[way].does} (${because})`, calls };
  },
  example: { dataset: '${{ steps.dataset.id }}', source: 'data/flights.parquet', id: { row: true } },
});
