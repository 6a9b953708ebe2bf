import { z } from 'zod';
import { planParts, uploadWindow } from './part-plan.ts';
import { define, type Facts, type PlannedCalls } from '../../step.ts';
import { appendInput, drift, isEmpty, lookups, unreadOf } from './append.ts';
import { heldAfter } from '../bounds.ts';
import { readsWithin } from '../looks.ts';
import { long } from '../timeouts.ts';
import { datasetId } from '../ids.ts';

/**
 * The count is read before the upload, until it is sure where the dataset was written to just before, and after it until it is that of
 * all rows or may not be late any more. In a dataset with rows those of the file are read before it is sent, and once more where none was new.
 */
function reads(facts: Facts, because: string): PlannedCalls[] {
  const { table, lagMs } = facts;
  const lagging = readsWithin(lagMs);
  const empty = isEmpty(facts);
  const known: PlannedCalls = !table
    ? { operation: 'maps.data.get', min: 0, max: empty ? 0 : null, because }
    : { ...lookups(table.shards, table.sent, facts), because: 'more where a deletion is not committed, or rows do not show' };
  return [
    { operation: 'maps.projects.get', min: 2, max: (empty ? 1 : 1 + lagging) + lagging },
    { operation: 'maps.data.lastModified', min: 0, max: empty ? 0 : 1 },
    ...(empty || known.max === null ? [known] : [{ ...known, max: known.max + lagging }]),
  ];
}

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
  input: appendInput.pick({ dataset: true, source: true, id: true, columns: true }).extend({ drift: drift.optional() }),
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
    const { table } = facts;
    if (!table)
      return {
        does: 'upload a table',
        calls: [
          { operation: 'maps.uploads.start', min: 1, max: 1, because: expired },
          { operation: 'maps.uploads.part', min: 1, max: null, because: unreadOf(input) },
          { operation: 'maps.uploads.complete', min: 1, max: 1 },
          ...reads(facts, unreadOf(input)),
        ],
        seconds: 1,
        items: null,
      };
    const { rows, sent, bytes, arrowBytes } = table;
    // An Arrow file goes as it is, or converted: which of the two is known when it was read.
    const cuts = [...arrowBytes, ...(isArrow(input) ? [bytes] : [])].map(planParts).sort((one, other) => one.parts - other.parts);
    const [{ parts: least }, most] = [cuts[0]!, cuts.at(-1)!];
    return {
      does: `${rows.toLocaleString('en-US')} rows as one file in ${least === most.parts ? '' : `${least} to `}${most.parts} part${most.parts === 1 ? '' : 's'} of ${most.partSize / 1024 ** 2} MiB`,
      calls: [
        { operation: 'maps.uploads.start', min: 1, max: 1, because: expired },
        { operation: 'maps.uploads.part', min: sent === 0 ? 0 : least, max: most.parts, because: expired },
        { operation: 'maps.uploads.complete', min: sent === 0 ? 0 : 1, max: 1 },
        ...reads(facts, unreadOf(input)),
      ],
      seconds: uploadSeconds(table),
      items: heldAfter(sent, facts),
    };
  },
  example: { dataset: '${{ steps.dataset.id }}', source: 'data/flights.arrow', id: { column: 'id' } },
});

const expired = 'again where the URLs of the parts expire, at most twice';

const isArrow = (input: { source?: unknown } | undefined): boolean =>
  typeof input?.source === 'string' && /\.(arrow|feather|ipc)$/i.test(input.source);

/** Estimate: reading and checking, sending, and the service's own reading of the file. */
const uploadSeconds = ({ rows, bytes }: { rows: number; bytes: number }): number => 1 + bytes / 100_000_000 + rows / 50_000;
