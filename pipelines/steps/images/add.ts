import { z } from 'zod';
import { define } from '../../step.ts';
import { datasetId } from '../ids.ts';
import { short } from '../timeouts.ts';

export const definition = define({
  name: 'images.add',
  summary: 'Add one image to a dataset as a blob, smaller and as JPEG; one that is there already is not sent.',
  kind: 'call',
  effect: 'idempotent',
  operations: ['maps.blobs.add', 'maps.blobs.get'],
  timeouts: short,
  dataset: { field: 'dataset', as: 'writes' },
  input: z.strictObject({
    dataset: datasetId.taken,
    file: z
      .string()
      .min(1)
      .describe('A .png, .jpeg or .webp file of the host of the worker, by its whole path: that of a file of `forEach: { files }`.'),
    name: z.string().min(1).optional().describe('What the image is known by, for `id`; default: the path.'),
    side: z.int().min(32).max(4_096).default(512).describe('Longest side that is sent, in pixels; a smaller image is not enlarged.'),
  }),
  output: z.object({
    id: z.string().describe('Follows from `name`: 32 hex characters, as short as a unique id has to be.'),
    hash: z.string().describe('For the column `_blob_hash`.'),
    width: z.int().describe('Of the image as it is, upright.'),
    height: z.int(),
    bytes: z.int().describe('As sent.'),
    sent: z.boolean().describe('False where the dataset had the image.'),
  }),
  forecast: () => ({
    does: 'add an image',
    calls: [
      { operation: 'maps.blobs.get', min: 1, max: 1 },
      { operation: 'maps.blobs.add', min: 0, max: 1, because: 'none where the dataset has the image' },
    ],
    seconds: 0.2,
  }),
  example: { dataset: '${{ steps.dataset.id }}', file: '/data/photos/harbour.jpg', name: 'harbour.jpg' },
});
