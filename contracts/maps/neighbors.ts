import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { notReady } from './busy.ts';
import { id, listed, orElse } from './common.ts';

/** A tile of a map, as its address names it. */
const tile = z.string().regex(/^\d{1,2}\/\d{1,5}\/\d{1,5}$/, 'a tile as z/x/y, such as 2/0/1');

/** Similarities for each tile as it was named, of its points in their order (assumption: the text shows no answer); the larger the nearer. */
export const inTiles = defineEndpoint({
  method: 'GET',
  path: '/v1/project/search/id',
  summary: 'How near the points of tiles are to one point of a map, named by its tile and row.',
  effect: 'safe',
  limit: 'maps/search',
  auth: 'public',
  status: 200,
  errors: [notReady],
  query: { project_id: 'text', projection_id: 'text', tiles: 'json', tix: 'number', rix: 'number' },
  input: z.strictObject({
    project_id: id,
    projection_id: id,
    tiles: z.array(tile).min(1).max(256),
    tix: z.int().min(0).max(4_294_967_295),
    rix: z.int().min(0).max(4_294_967_295),
  }),
  output: z.looseObject({ data: z.record(z.string(), z.array(z.number())) }),
});

const k = orElse(z.int().min(1), 4);

/** One list per point asked for, nearest first; distances are those of the index's space. */
const neighbors = z.looseObject({ neighbors: z.array(listed(z.string().nullable())), distances: z.array(listed(z.number().nullable())) });

const points = z.strictObject({
  atlas_index_id: id,
  datum_ids: z.array(z.string()).min(1).nullish(),
  atom_ids: z.array(z.string()).min(1).nullish(),
  k,
});

/** One of both lists (assumption: both or none is a 422). Whether the point itself is among its neighbours is the assumption `own-neighbor`. */
export const byId = defineEndpoint({
  method: 'POST',
  path: '/v1/project/data/get/nearest_neighbors/by_id',
  summary: 'Nearest neighbours of points of a map.',
  effect: 'safe',
  limit: 'maps/search',
  auth: 'public',
  status: 200,
  errors: [notReady],
  input: points,
  output: neighbors,
});

/** Outside the text, used by a public client: the same as an Arrow file, a row for each point asked for, with a list of each (assumption). */
export const byIdArrow = defineEndpoint({
  method: 'POST',
  path: '/v1/project/data/get/arrow/nearest_neighbors/by_id',
  summary: 'Nearest neighbours of points of a map, as an Arrow file.',
  effect: 'safe',
  limit: 'maps/search',
  auth: 'public',
  status: 200,
  errors: [notReady],
  answer: 'bytes',
  input: points,
  output: z.instanceof(Uint8Array) as z.ZodType<Uint8Array>,
});

/** Vectors as lists of numbers, or the base64 of one n × d `.npy` of floats or integers. */
const queries = z.union([z.array(z.array(z.number()).min(1)).min(1), z.string().min(1)]);

/**
 * Outside the text, used by a public client: for each vector the topics of that depth by name, with the share that each has of the `k`
 * points nearest to it. A depth below the finest one is the finest one (assumption: the client asks for 3 where it knows none).
 */
export const topics = defineEndpoint({
  method: 'POST',
  path: '/v1/project/data/get/embedding/topic',
  summary: 'Topics of vectors, by those of the points nearest to them.',
  effect: 'safe',
  limit: 'maps/search',
  auth: 'public',
  status: 200,
  errors: [notReady],
  refuses: { 400: 'the map has no topics' },
  input: z.strictObject({ atlas_index_id: id, queries, k: orElse(z.int().min(1), 32), depth: orElse(z.int().min(1), 3) }),
  output: z.array(z.record(z.string(), z.number())),
});

/** The vectors are those of `queries`. */
export const byEmbedding = defineEndpoint({
  method: 'POST',
  path: '/v1/project/data/get/nearest_neighbors/by_embedding',
  summary: 'Points of a map nearest to vectors.',
  effect: 'safe',
  limit: 'maps/search',
  auth: 'public',
  status: 200,
  errors: [notReady],
  input: z.strictObject({ atlas_index_id: id, queries, k }),
  output: neighbors,
});
