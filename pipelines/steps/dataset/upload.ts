import { z } from 'zod';
import { planParts, uploadWindow } from './part-plan.ts';
import { define, type PlannedCalls } from '../../step.ts';
import { appendInput } from './append.ts';
import { heldAfter } from '../bounds.ts';
import { factsOf } from '../source.ts';
import { long } from '../timeouts.ts';
import { datasetId } from '../ids.ts';

/**
 * The count is read before the upload, again where it was written to just before, and after it until it is that of all rows or
 * may not be late any more. Ids of the file are read before it is sent, where the dataset has rows or a deletion is open, and
 * afterwards one read distinguishes rows that were there from a file that could not be read.
 */
const counted: PlannedCalls[] = [
  { operation: 'maps.projects.get', min: 2, max: null, because: 'read until the count is sure, for `lagMs` of the connection' },
  { operation: 'maps.data.lastModified', min: 0, max: 1 },
  { operation: 'maps.data.get', min: 0, max: null, because: 'the rows of the dataset that the file may hold, by their ids' },
];

export const definition = define({
  name: 'dataset.upload',
  summary: 'Add the rows of a table to a dataset as one Arrow file in parts; a part that has arrived is not sent again.',
  kind: 'sweep',
  effect: 'reconcile',
  operations: ['maps.projects.get', 'maps.uploads.start', 'maps.uploads.complete', 'maps.data.get', 'maps.data.lastModified'],
  timeouts: long,
  window: uploadWindow,
  paths: ['source'],
  tolerates: ['rejected'],
  brings: (input) => input?.columns && Object.keys(input.columns),
  dataset: { field: 'dataset', as: 'writes' },
  input: appendInput.pick({ dataset: true, source: true, id: true, columns: true }),
  output: z.object({
    dataset: datasetId.given,
    rows: z.int().describe('Rows of the source.'),
    added: z.int().describe('By how many rows the dataset grew.'),
    present: z.int().describe('Rows sent under an id that the dataset held already: it keeps its own.'),
    rejected: z.int().describe('Rows that break the type rules: in the ledger with the reason.'),
    bytes: z.int().describe('Bytes of the Arrow file.'),
    parts: z.int(),
    sha256: z.string().describe('SHA-256 (hex) of the Arrow file.'),
    columns: z.array(z.string()),
  }),
  forecast: (input, facts) => {
    const source = factsOf(input?.source, facts);
    if (!source)
      return {
        does: 'upload a table',
        calls: [
          { operation: 'maps.uploads.start', min: 1, max: 3 },
          { operation: 'maps.uploads.part', min: 1, max: null, because: 'the source is not readable on this host' },
          { operation: 'maps.uploads.complete', min: 1, max: 1 },
          ...counted,
        ],
        seconds: 1,
        items: null,
      };
    const { parts, partSize } = planParts(source.bytes);
    return {
      does: `${source.rows.toLocaleString('en-US')} rows as one file in about ${parts} part${parts === 1 ? '' : 's'} of ${partSize / 1024 ** 2} MiB`,
      calls: [
        // New URLs where the first ones expire.
        { operation: 'maps.uploads.start', min: 1, max: 3 },
        {
          operation: 'maps.uploads.part',
          min: 1,
          ...(sentAsItIs(source.path)
            ? { max: 3 * parts }
            : { max: null, because: 'the size of the converted file is known only in the run' }),
        },
        { operation: 'maps.uploads.complete', min: 1, max: 1 },
        ...counted,
      ],
      seconds: uploadSeconds(source),
      items: heldAfter(source.rows, facts),
    };
  },
  example: { dataset: '${{ steps.dataset.id }}', source: 'data/flights.arrow', id: { column: 'id' } },
});

/** An Arrow file need not be converted, so its size is that of the upload. */
const sentAsItIs = (path: string): boolean => /\.(arrow|feather)$/i.test(path);

/** Estimate: reading and checking, sending, and the service's own reading of the file. */
const uploadSeconds = ({ rows, bytes }: { rows: number; bytes: number }): number => 1 + bytes / 100_000_000 + rows / 50_000;
