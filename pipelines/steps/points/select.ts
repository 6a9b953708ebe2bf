import { z } from 'zod';
import { define } from '../../step.ts';
import { mostOf } from '../bounds.ts';
import { points } from './point-list.ts';
import { heldAgainst, knownWhere, probes } from './selection-calls.ts';
import { short } from '../timeouts.ts';
import { columnsIn, where } from './where.ts';
import { mapId } from '../ids.ts';

export const definition = define({
  name: 'points.select',
  summary: 'Select points of a map by conditions on their columns.',
  kind: 'call',
  effect: 'safe',
  operations: ['maps.query.select', 'maps.projections.dataset', 'maps.projects.get', 'maps.data.get'],
  timeouts: short,
  input: z.strictObject({
    map: mapId.taken,
    where: where
      .optional()
      .describe('Conditions: all, any, not, range (from, to; both inclusive), category (in), search (for). Absent: every point.'),
  }),
  output: z.object({ points: points.describe('The ids found.'), count: z.int(), map: mapId.given }),
  columns: (input) => [...columnsIn(input?.where, ['where'])],
  forecast: (input, facts) => {
    const condition = knownWhere(input);
    const most = mostOf([facts.items, facts.dataset?.rows]);
    return {
      does: 'one selection',
      calls: [
        { operation: 'maps.query.select', min: 1, max: 1 },
        ...heldAgainst(condition, facts),
        { operation: 'maps.projections.dataset', min: 1, max: 1 },
        { operation: 'maps.projects.get', min: 1, max: 1 },
        ...probes(condition, facts),
      ],
      seconds: 0.2,
      ...(most === undefined ? {} : { items: most }),
    };
  },
  example: {
    map: '${{ steps.map.id }}',
    where: { all: [{ range: 'gross', from: 100_000_000 }, { not: { category: 'genre', in: ['Comedy'] } }] },
  },
});
