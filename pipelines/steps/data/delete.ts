import { z } from 'zod';
import { batches } from '../../../contracts/maps/batches.ts';
import { define } from '../../step.ts';
import { inChunks, mostOf } from '../bounds.ts';
import { points } from '../points/point-list.ts';
import { long } from '../timeouts.ts';
import { datasetId } from '../ids.ts';

/** Ids of a chunk: those of one call, which are a part of an id list. */
export const deleteChunk = batches.deletions.most;

/** Ids of a chunk that are looked up before they are deleted: by them it shows that a deletion was committed. */
export const lookedUp = 100;

export const definition = define({
  name: 'data.delete',
  summary: 'Delete rows of a dataset; maps show it after their next update.',
  kind: 'sweep',
  effect: 'idempotent',
  operations: ['maps.data.delete', 'maps.data.get', 'maps.projects.get'],
  timeouts: long,
  window: 4,
  dataset: { field: 'dataset', as: 'writes' },
  input: z.strictObject({
    dataset: datasetId.taken,
    points: points.describe('Ids by reference, e.g. the `points` of points.select.'),
  }),
  output: z.object({
    dataset: datasetId.given,
    count: z.int().describe('Ids sent; the API does not say which of them it did not know.'),
  }),
  forecast: (_, facts) => {
    const most = mostOf([facts.items, facts.dataset?.rows]);
    return {
      does: `delete ${most === undefined ? 'rows' : `≤ ${most.toLocaleString('en-US')} rows`}`,
      calls: [
        inChunks('maps.data.delete', most, deleteChunk, facts.batch.deletions),
        // Once for each chunk, of as many ids as one deletion is known by.
        {
          because: 'more where the service does not name the ids that it does not know',
          ...inChunks(
            'maps.data.get',
            most === undefined ? undefined : Math.ceil(most / deleteChunk) * lookedUp,
            lookedUp,
            facts.batch.ids,
          ),
        },
        { operation: 'maps.projects.get', min: 1, max: 1 },
      ],
      seconds: 0.1 * Math.ceil((most ?? 1) / deleteChunk),
      acts: [
        {
          kind: 'rows deleted',
          says: `delete ${most === undefined ? 'rows' : `≤ ${most.toLocaleString('en-US')} rows`}`,
          ...(most === undefined ? { most: null, because: 'how many there are is known only in the run' } : { most }),
        },
      ],
    };
  },
  example: { dataset: '${{ steps.dataset.id }}', points: '${{ steps.old.points }}' },
});
