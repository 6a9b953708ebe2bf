import { z } from 'zod';
import { define } from '../../step.ts';
import { inChunks, mostOf } from '../bounds.ts';
import { long } from '../timeouts.ts';
import { onMapCalls, tagChunk, window } from './tag.ts';

export const definition = define({
  name: 'points.restore',
  summary: 'Take back what a step points.tag did: points that have a tag because of it alone have it no more.',
  kind: 'sweep',
  effect: 'idempotent',
  operations: ['maps.tags.update', 'maps.projections.dataset', 'maps.projects.get', 'maps.data.get', 'maps.query.select'],
  timeouts: long,
  window,
  input: z.strictObject({
    record: z
      .string()
      .regex(/^[^/\\]+\/[^/\\]+$/, 'RUN/STEP, as `record` of points.tag gives it')
      .refine((text) => !text.startsWith('.'), 'RUN/STEP, as `record` of points.tag gives it')
      .describe('The `record` of the step points.tag; where that failed: `${{ run.id }}/STEP`.'),
  }),
  output: z.object({
    tag: z.string(),
    count: z.int().describe('Points that have the tag no more, or after a removal have it again.'),
    kept: z
      .int()
      .describe(
        'Points of the step that stay as they are: they had the tag before, wherever it was set, or another run has tagged them too.',
      ),
    missing: z.int().describe('Ids that the map does not have any more: in the ledger.'),
  }),
  forecast: (_, facts) => {
    const most = mostOf([facts.items, facts.dataset?.rows]);
    return {
      does: 'take back what a step did to a tag',
      calls: [
        inChunks('maps.tags.update', most, tagChunk, facts.batch.tags),
        {
          because: 'about twenty more for each id that the dataset does not have any more',
          ...inChunks('maps.data.get', most, tagChunk, facts.batch.tags, facts.batch.ids),
        },
        ...onMapCalls(most, facts),
        { operation: 'maps.projections.dataset', min: 0, max: 1 },
        { operation: 'maps.projects.get', min: 0, max: 1 },
      ],
      seconds: 0.1 * Math.ceil((most ?? 1) / tagChunk),
    };
  },
  example: { record: '${{ steps.tag.record }}' },
});
