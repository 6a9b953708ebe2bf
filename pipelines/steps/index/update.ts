import { z } from 'zod';
import { define } from '../../step.ts';
import { short } from '../timeouts.ts';

export const definition = define({
  name: 'index.update',
  summary: 'Bring every map of a dataset up to its additions and deletions.',
  kind: 'poll',
  effect: 'reconcile',
  operations: ['maps.projects.get', 'maps.data.lastModified', 'maps.data.get', 'maps.indices.update', 'maps.indices.progress'],
  timeouts: { ...short, pollMs: 86_400_000 },
  dataset: { field: 'dataset', as: 'writes' },
  input: z.strictObject({ dataset: z.guid().describe('Dataset id (uuid).') }),
  output: z.object({
    dataset: z.string(),
    updated: z.boolean().describe('False where nothing shows that the update had anything to do.'),
    rows: z.int().describe('Rows of the dataset afterwards.'),
    maps: z.array(z.string()).describe('Ids of the maps (uuid); they stay the same.'),
  }),
  forecast: (_, facts) => ({
    does: 'update the maps of the dataset',
    calls: [
      { operation: 'maps.indices.update', min: 1, max: 1 },
      { operation: 'maps.projects.get', min: 2, max: 4 },
      { operation: 'maps.data.lastModified', min: 1, max: 2 },
      { operation: 'maps.indices.progress', min: 0, max: 4 + Math.ceil((facts.items ?? 1_000) / 500) },
    ],
    seconds: 1,
  }),
  example: { dataset: '${{ steps.dataset.id }}' },
});
