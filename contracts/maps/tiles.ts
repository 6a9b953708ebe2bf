import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { notReady } from './busy.ts';
import { id } from './common.ts';

/** Bytes of an Arrow IPC message or file, never compressed: the Arrow of public viewers cannot read compressed batches. */
const arrow = z.instanceof(Uint8Array) as z.ZodType<Uint8Array>;

/** What stands for a column's sidecar where the column has none: it is in the tile itself. */
const inTile = '';

/** A tile of 50,000 vectors of 768 numbers, and what the file says around them. */
const largestTile = 256 * 1024 * 1024;

const quadtree = '/v1/project/{project_id}/index/projection/{projection_id}/quadtree';
const map = { project_id: id, projection_id: id };

/** Outside the text, used by public clients: which columns the tiles of a map have, each with the name of its sidecar in its metadata. */
export const schema = defineEndpoint({
  method: 'GET',
  path: '/v1/project/projection/{projection_id}/schema',
  summary: 'Columns of the tiles of a map, as one Arrow schema message.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  errors: [notReady],
  answer: 'bytes',
  input: z.object({ projection_id: id }),
  output: arrow,
});

/** Outside the text: a row for each tile, the root first, then level by level. */
export const manifest = defineEndpoint({
  method: 'GET',
  path: `${quadtree}/manifest.feather`,
  summary: 'The tiles of a map, as an Arrow file.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  errors: [notReady],
  answer: 'bytes',
  input: z.object(map),
  output: arrow,
});

/** `Y.feather`, or `Y.SIDECAR.feather`. */
const tileFile = /^(\d{1,5})(?:\.(.+))?\.feather$/;

/** The row of a tile and the sidecar that its file names; undefined for another name. */
export const tileFileOf = (file: string): { y: number; sidecar: string } | undefined => {
  const [, y, sidecar] = tileFile.exec(file) ?? [];
  return y === undefined ? undefined : { y: Number(y), sidecar: sidecar ?? inTile };
};

/** Outside the text: `x`, `y` and `ix` of the points of a tile (`Y.feather`), or columns of its rows (`Y.SIDECAR.feather`) in the same order. */
export const get = defineEndpoint({
  method: 'GET',
  path: `${quadtree}/{z}/{x}/{file}`,
  summary: 'One tile of a map, or a sidecar of it, as an Arrow file.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  errors: [notReady],
  answer: 'bytes',
  answerBytes: largestTile,
  input: z.object({
    ...map,
    z: z.string().regex(/^\d{1,2}$/, 'the level of a tile'),
    x: z.string().regex(/^\d{1,5}$/, 'the column of a tile'),
    file: z.string().regex(tileFile, 'Y.feather, or Y.SIDECAR.feather'),
  }),
  output: arrow,
});
