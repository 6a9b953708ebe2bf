import { z } from 'zod';
import { define } from '../../step.ts';
import { points } from './point-list.ts';
import { short } from '../timeouts.ts';
import { knownWhere, probes } from './selection-calls.ts';
import { columnsIn, where } from './where.ts';
import { mapId } from '../ids.ts';

export const definition = define({
  name: 'points.search',
  summary: 'Points nearest in meaning to a text or a vector.',
  kind: 'call',
  effect: 'safe',
  operations: ['maps.query.topk', 'maps.query.select', 'maps.projections.dataset', 'maps.projects.get', 'maps.data.get'],
  timeouts: short,
  input: z.strictObject({
    map: mapId.taken,
    query: z.union([z.string().min(1), z.array(z.number()).min(1)]).describe('A text, or a vector of the length of the map.'),
    k: z.int().min(1).max(1_000).default(10).describe('Results wanted.'),
    fields: z.array(z.string()).min(1).optional().describe('Columns of each result. @default the id alone'),
    where: where.optional().describe('Conditions applied first; the nearest are taken from what is left.'),
  }),
  output: z.object({
    results: z.array(z.record(z.string(), z.unknown())).describe('Descending `_similarity`; larger is closer.'),
    count: z.int(),
    points: points.describe('The same as ids, the nearest first: for points.tag and others.'),
    map: mapId.given,
  }),
  version: 2,
  vectors: true,
  vector: 'query',
  embeds: (input) => typeof input?.query === 'string',
  columns: (input) => [
    ...(input?.fields ?? []).flatMap((column, index) =>
      column === undefined ? [] : [{ column, path: ['fields', index], ask: 'any' as const }],
    ),
    ...columnsIn(input?.where, ['where']),
  ],
  forecast: (input, facts) => {
    const condition = knownWhere(input);
    return {
      does: typeof input?.query === 'string' ? `search "${input.query}"` : 'one search',
      calls: [
        { operation: 'maps.query.topk', min: 1, max: 1 },
        { operation: 'maps.projections.dataset', min: 1, max: 1 },
        { operation: 'maps.projects.get', min: 1, max: 1 },
        ...probes(condition, facts),
      ],
      seconds: 0.2,
      items: input?.k ?? 1_000,
    };
  },
  example: { map: '${{ steps.map.id }}', query: 'a heist that goes wrong', k: 5, fields: ['title'] },
});
