import { z } from 'zod';
import { define } from '../../step.ts';
import { inChunks, mostOf } from '../bounds.ts';
import { points } from './point-list.ts';
import { long } from '../timeouts.ts';
import { mapId } from '../ids.ts';

export const definition = define({
  name: 'points.neighbors',
  summary: 'Nearest neighbours of points of a map.',
  kind: 'sweep',
  effect: 'safe',
  operations: ['maps.projections.dataset', 'maps.neighbors.byId'],
  timeouts: long,
  window: 2,
  input: z.strictObject({
    map: mapId.taken.describe('Map id (uuid); the map must have vectors.'),
    points: points.describe('Ids by reference, e.g. the `points` of points.select.'),
    k: z.int().min(1).max(100).default(10).describe('Neighbours of each point, itself not counted.'),
  }),
  output: z.object({
    points: points.describe('Every neighbour once, as ids by reference: for points.tag and others.'),
    count: z.int().describe('Different neighbours.'),
    pairs: z.string().describe('Folder of Parquet files: point, neighbor, rank from 1 (the nearest), distance.'),
    map: mapId.given,
  }),
  vectors: true,
  forecast: (input, facts) => {
    const most = mostOf([facts.items, facts.dataset?.rows]);
    return {
      does: `${input?.k ?? 10} neighbours of ${most === undefined ? 'each point' : `≤ ${most.toLocaleString('en-US')} points`}`,
      calls: [inChunks('maps.neighbors.byId', most, facts.batch.neighbors), { operation: 'maps.projections.dataset', min: 1, max: 1 }],
      seconds: 0.3 * Math.max(1, Math.ceil((most ?? 1) / facts.batch.neighbors)),
      ...(most === undefined ? {} : { items: most * (input?.k ?? 10) }),
    };
  },
  example: { map: '${{ steps.map.id }}', points: '${{ steps.familiar.points }}', k: 5 },
});
