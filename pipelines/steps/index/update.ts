import { z } from 'zod';
import { define, type Facts, type PlannedCalls } from '../../step.ts';
import { mostOf } from '../bounds.ts';
import { looksWithin } from '../looks.ts';
import { short } from '../timeouts.ts';
import { datasetId } from '../ids.ts';

type Looked = 'maps.indices.progress' | 'maps.projects.get' | 'maps.data.lastModified' | 'maps.data.get';

const looks = (operation: Looked, beside: number, { items, dataset }: Facts): PlannedCalls => {
  const rows = mostOf([items, dataset?.rows]);
  return rows === undefined
    ? { operation, min: beside, max: null, because: 'how long the update takes depends on rows that nobody has counted' }
    : { operation, min: beside, max: beside + looksWithin(1 + rows / 150) };
};

export const definition = define({
  name: 'index.update',
  summary: 'Bring every map of a dataset up to its additions and deletions.',
  kind: 'poll',
  effect: 'reconcile',
  operations: ['maps.projects.get', 'maps.data.lastModified', 'maps.data.get', 'maps.indices.update', 'maps.indices.progress'],
  timeouts: { ...short, pollMs: 86_400_000 },
  dataset: { field: 'dataset', as: 'writes' },
  input: z.strictObject({ dataset: datasetId.taken }),
  output: z.object({
    dataset: datasetId.given,
    updated: z.boolean().describe('False where nothing shows that the update had anything to do.'),
    rows: z.int().describe('Rows of the dataset afterwards.'),
    maps: z.array(z.string()).describe('Ids of the maps (uuid); they stay the same.'),
  }),
  forecast: (_, facts) => ({
    does: 'update the maps of the dataset',
    calls: [
      { operation: 'maps.indices.update', min: 1, max: 1, because: 'more where the service does not begin one' },
      looks('maps.projects.get', 3, facts),
      looks('maps.data.lastModified', 2, facts),
      looks('maps.indices.progress', 0, facts),
      looks('maps.data.get', 0, facts),
    ],
    seconds: 1,
  }),
  example: { dataset: '${{ steps.dataset.id }}' },
});
