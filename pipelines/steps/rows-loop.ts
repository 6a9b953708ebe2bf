import { z } from 'zod';
import { counted } from '../../text/units.ts';
import { define } from '../step.ts';
import { loop } from './loop.ts';
import { source } from './source.ts';
import { long } from './timeouts.ts';

/**
 * What a file writes as `forEach: { rows }` or `forEach: { files }`. To the interpreter it is a sweep: workers take the rows in chunks and do the steps of each
 * row themselves, so that a million rows are no events.
 */
export const rowsLoop = define({
  name: 'forEach.rows',
  summary: 'Do steps once for each row of a table, or each file of a glob.',
  kind: 'sweep',
  effect: 'never',
  operations: [],
  timeouts: long,
  tolerates: ['failed'],
  goesOn: true,
  paths: ['rows', 'files'],
  lists: ['files'],
  input: z.strictObject({ rows: source.optional(), files: z.string().min(1).optional(), key: z.string().min(1).optional() }),
  output: loop.output,
  names: (input) => (input?.key === undefined ? [] : [{ column: input.key, path: ['key'], as: 'key' }]),
  forecast: (input, { table }) => ({
    does: `go over ${table ? counted(table.rows, nounOf(input)) : input?.files === undefined ? 'the rows of a table' : 'files'}`,
    calls: [],
    items: table?.rows ?? null,
  }),
  example: { rows: 'data/movies.json' },
});

/** What it goes over, in a word. */
export const nounOf = (input: { files?: string | undefined } | undefined): 'file' | 'row' => (input?.files === undefined ? 'row' : 'file');

/** Chunks under way at a time, and the rows of each, for so many rows at a time. */
export const chunksOf = (parallel = 8): { window: number; atOnce: number } =>
  parallel === 1 ? { window: 1, atOnce: 1 } : { window: 2, atOnce: Math.floor(parallel / 2) };
