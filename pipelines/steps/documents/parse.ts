import { z } from 'zod';
import { extractionModes, ocrLanguages } from '../../../contracts/parse-options.ts';
import { sameName } from '../../../text/same-name.ts';
import { counted } from '../../../text/units.ts';
import { define, type PlannedCalls } from '../../step.ts';
import { namedFilesForecast } from '../named-files.ts';
import { long } from '../timeouts.ts';

/** Columns of the table of chunks, as DuckDB types. */
export const chunkColumns = {
  id: 'VARCHAR',
  file: 'VARCHAR',
  page: 'INTEGER',
  place: 'VARCHAR',
  section: 'VARCHAR',
  text: 'VARCHAR',
  content: 'VARCHAR',
  hash: 'VARCHAR',
  document: 'VARCHAR',
} as const;

/** How documents are read; another option is another reading, which is paid for again. */
const options = z
  .strictObject({
    mode: z
      .enum(extractionModes)
      .default('hybrid')
      .describe('What is read by recognising characters: nothing, pictures in a document, or all of its pages.'),
    language: z.enum(ocrLanguages).default('en').describe('Of the characters that are recognised.'),
    tableSummary: z.boolean().default(false).describe('A summary of each table.'),
    figureSummary: z.boolean().default(true).describe('A summary of each figure.'),
  })
  .prefault({})
  .describe('How documents are read.');

export type ParseSettings = z.output<typeof options>;

export const definition = define({
  name: 'documents.parse',
  summary: 'Read documents into chunks of text with their place: each once, however often the step runs.',
  kind: 'sweep',
  effect: 'idempotent',
  operations: ['maps.documents.upload', 'maps.documents.parse', 'maps.documents.status', 'maps.documents.events'],
  timeouts: long,
  window: 2,
  paths: ['files'],
  lists: ['files'],
  tolerates: ['failed', 'unknown'],
  input: z
    .strictObject({
      files: z
        .string()
        .min(1)
        .describe(
          'A path or glob: `inbox/**/*` for all files of a folder. With `column`, a table that names files in its folder or below.',
        ),
      column: z
        .string()
        .default('')
        .describe('Column of the table that holds the path of each file, from the folder of the table. @default `files` are the documents'),
      carry: z
        .array(z.string().min(1))
        .max(50)
        .default([])
        .describe('Columns of the table that the chunks of a file get, as texts: a title, an author.'),
      options,
      again: z
        .boolean()
        .default(false)
        .describe('Send once more what failed in an earlier run, and what was sent and never answered: parsing is paid for.'),
    })
    .refine(({ column, carry }) => column !== '' || carry.length === 0, {
      message: 'is for a table that names files',
      params: { about: 'fields', remedy: 'add column: COLUMN, or leave carry out' },
      path: ['carry'],
    })
    .refine(({ carry }) => sameName([...Object.keys(chunkColumns), ...carry]) === undefined, {
      message: 'names a column twice, or one that chunks have of their own',
      params: { about: 'fields', remedy: 'rename the column in the table' },
      path: ['carry'],
    }),
  output: z.object({
    chunks: z
      .string()
      .describe(
        'A table for dataset.mirror: id, file, page, place, section, text, content, hash (of the content), document (sha256 of the file), and what `carry` names.',
      ),
    results: z.string().describe('A table of the documents: item, status, chunks, pages, bytes, sha256, reason.'),
    documents: z.int(),
    parsed: z.int().describe('Documents that this run has sent.'),
    present: z.int().describe('Known by their bytes and options, or with the same bytes as another file: nothing was sent.'),
    failed: z.int().describe('Documents that could not be read: the reason stands in the ledger. Chunks of their last version stay.'),
    unknown: z.int().describe('Sent, and nobody knows whether the service took it: not sent again unless `again` says so.'),
    rows: z.int().describe('Chunks of all documents.'),
  }),
  names: (input) => [
    ...(input?.column ? [{ column: input.column, path: ['column'] }] : []),
    ...(input?.carry ?? []).flatMap((column, at) => (column === undefined ? [] : [{ column, path: ['carry', at] }])),
  ],
  forecast: (input, { table, named }) => {
    const files = input?.column === '' ? table : named && 'rows' in named ? named : undefined;
    const most = files?.rows;
    const why = named && 'because' in named ? named.because : 'how many documents there are is known only in the run';
    const times = (operation: PlannedCalls['operation'], because?: string): PlannedCalls =>
      most === undefined
        ? { operation, min: 0, max: null, because: why }
        : { operation, min: 0, max: most, ...(because === undefined ? {} : { because }) };
    return {
      does:
        most === undefined
          ? 'read documents'
          : `read ≤ ${counted(most, 'document')} (${((files?.bytes ?? 0) / 1_000_000).toFixed(1)} MB); those that are known are not sent`,
      calls: [
        times('maps.documents.upload'),
        times('maps.documents.put'),
        times('maps.documents.parse'),
        times('maps.documents.events', 'only where the answer of a call was lost'),
        { operation: 'maps.documents.status', min: 0, max: null, because: 'asked until each document is read, and for its result' },
      ],
      seconds: 2 * (most ?? 1),
      items: null,
      ...namedFilesForecast(named),
    };
  },
  example: { files: 'inbox/**/*.pdf' },
});

export type ParseInput = z.output<typeof definition.input>;
