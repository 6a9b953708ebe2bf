import { z } from 'zod';
import { batches } from '../../../contracts/maps/batches.ts';
import { name } from '../../../contracts/name.ts';
import { mostTiles } from '../../../contracts/maps/tile-sizes.ts';
import { define, type Facts, type PlannedCalls } from '../../step.ts';
import { inChunks, mostOf, notSent } from '../bounds.ts';
import { points } from './point-list.ts';
import { long } from '../timeouts.ts';
import { mapId } from '../ids.ts';

/** Ids of a chunk: those of one call, which are a part of an id list. */
export const tagChunk = batches.tags.most;

/** Chunks that are tagged side by side. */
export const window = 8;

/** Of a service that goes through the points of the map alone it is asked which these are, where it went through fewer than it was given. */
export const onMapCalls = (most: number | undefined, { batch, readings }: Pick<Facts, 'batch' | 'readings'>): PlannedCalls[] => {
  if (readings['tag-scope'] !== 'map') return notSent('maps.query.select');
  // Each of the first chunks may ask for every point, where selections may be cut.
  const every = readings['selection-size'] === 'whole' ? [] : [{ operation: 'maps.query.select' as const, min: 0, max: window }];
  return [inChunks('maps.query.select', most, tagChunk, batch.tags, batch.ids), ...every];
};

const base = {
  map: mapId.taken,
  points: points.describe('Ids by reference, e.g. the `points` of points.select.'),
};

/** It is read which points have the tag: two files beside each tile. A map that is named by its id may be any, of any number of points. */
function readTiles(map: string | undefined, { items, dataset }: Facts): PlannedCalls {
  const points = map === undefined && dataset ? mostOf([items, dataset.rows]) : undefined;
  const operation = 'maps.tiles.get';
  return points === undefined
    ? { operation, min: 0, max: null, because: 'two for each tile of the map, which are listed in the run: a million points have some 50' }
    : {
        operation,
        min: 0,
        max: 2 * mostTiles(points),
        because: 'more where points were deleted since the tiles of the map were last made',
      };
}

export const definition = define({
  name: 'points.tag',
  summary: 'Add a tag to points, or remove it.',
  kind: 'sweep',
  effect: 'idempotent',
  operations: [
    'maps.tags.update',
    'maps.projections.dataset',
    'maps.projects.get',
    'maps.data.get',
    'maps.query.select',
    'maps.mapTags.list',
    'maps.tiles.manifest',
    'maps.tiles.get',
  ],
  timeouts: long,
  window,
  // Of an addition and a removal side by side nobody could say which comes last.
  changes: { map: ['map'], tag: ['add', 'remove'] },
  input: z
    .strictObject({
      ...base,
      add: name.optional().describe('Tag to add. Either this or `remove`.'),
      remove: name.optional().describe('Tag to remove.'),
      again: z.boolean().default(false).describe('Send even where an earlier run of this store tagged the same points of the same map so.'),
      dryRun: z.boolean().default(false).describe('Count the points, look up which ids there are, and send nothing.'),
    })
    .refine((input) => (input.add === undefined) !== (input.remove === undefined), {
      message: 'give exactly one of add and remove',
      params: { about: 'fields', remedy: 'keep one of the two lines; to swap one tag for another take two steps' },
      // Asked also where another field is an expression, which is of no type yet.
      when: ({ value }) => typeof value === 'object' && value !== null,
      path: ['add'],
    }),
  output: z.object({
    tag: z.string(),
    count: z.int().describe('Points that have the tag now, or with `remove` have it no more, changed or not.'),
    missing: z.int().describe('Ids of which the dataset has no row, or the map no point: in the ledger, each with the reason.'),
    changed: z
      .int()
      .nullable()
      .describe(
        'Of these, points that have the tag, or with `remove` have it no more, because of this step alone: others had it before, or had it not. Null where the service does not say which points have a tag.',
      ),
    unchanged: z.boolean().describe('True where an earlier run had done it, it is still so, and nothing was sent.'),
    record: z.string().describe('What points.restore takes back: `undo: { use: points.restore, with: { record: … } }`.'),
  }),
  forecast: (input, facts) => {
    const most = mostOf([facts.items, facts.dataset?.rows]);
    const what = `${input?.remove === undefined ? 'tag' : 'untag'} ${most === undefined ? 'points' : `≤ ${most.toLocaleString('en-US')} points`}`;
    const dry = input?.dryRun === true;
    return {
      does: dry ? `count, and change nothing: ${what}` : what,
      calls: [
        ...(dry ? notSent('maps.tags.update') : [inChunks('maps.tags.update', most, tagChunk, facts.batch.tags)]),
        {
          because: 'about twenty more for each id that the dataset does not have',
          ...inChunks('maps.data.get', most, tagChunk, facts.batch.tags, facts.batch.ids),
        },
        ...onMapCalls(most, facts),
        // Once more after the tiles were read, whose map may have changed meanwhile.
        { operation: 'maps.projections.dataset', min: 1, max: 2 },
        { operation: 'maps.projects.get', min: 1, max: 2 },
        { operation: 'maps.mapTags.list', min: 0, max: 1 },
        { operation: 'maps.tiles.manifest', min: 0, max: 1 },
        readTiles(input?.map, facts),
      ],
      seconds: 0.1 * Math.ceil((most ?? 1) / tagChunk),
    };
  },
  example: { map: '${{ steps.map.id }}', points: '${{ steps.rich.points }}', add: 'blockbuster' },
});
