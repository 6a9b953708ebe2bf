import { z } from 'zod';
import { counted } from '../../../text/units.ts';
import { define } from '../../step.ts';
import { source } from '../source.ts';
import { short } from '../timeouts.ts';
import { points } from './point-list.ts';
import { mapId } from '../ids.ts';

export const definition = define({
  name: 'points.list',
  summary: 'Points of a map by their ids: those that stand in the file, or in a column of a table.',
  kind: 'call',
  effect: 'safe',
  operations: ['maps.projections.dataset', 'maps.projects.get'],
  timeouts: short,
  paths: ['source'],
  input: z
    .strictObject({
      map: mapId.taken,
      ids: z.array(z.string().min(1)).min(1).max(10_000).optional().describe('The ids themselves. Either these or `source`.'),
      source: source.optional().describe('A table with the ids in one of its columns.'),
      column: z
        .string()
        .min(1)
        .optional()
        .describe("Column of the ids. @default the only one, or the one that is called as the dataset's ids are"),
    })
    .refine((input) => (input.ids === undefined) !== (input.source === undefined), {
      message: 'give exactly one of ids and source',
      params: { about: 'fields', remedy: 'keep one of the two lines; two lists are two steps' },
      when: ({ value }) => typeof value === 'object' && value !== null,
      path: ['ids'],
    }),
  output: z.object({ points: points.describe('The ids, each once.'), count: z.int(), map: mapId.given }),
  names: (input) => (input?.column === undefined ? [] : [{ column: input.column, path: ['column'], as: 'value' }]),
  forecast: (input, { table }) => {
    const items = input?.ids?.length ?? table?.rows;
    return {
      does: `read ${items === undefined ? 'ids of a table' : counted(items, 'id')}`,
      calls: [
        { operation: 'maps.projections.dataset', min: 1, max: 1 },
        { operation: 'maps.projects.get', min: 1, max: 1 },
      ],
      seconds: 0.2,
      ...(items === undefined ? {} : { items }),
    };
  },
  example: { map: '${{ steps.map.id }}', source: 'data/reviewed.csv', column: 'id' },
});
