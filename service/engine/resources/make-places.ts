import type { TsneOptions } from '../algorithms/tsne.ts';
import type { Coordinates, UmapOptions } from '../algorithms/places.ts';
import { assignTiles } from '../projection/quadtree.ts';
import { randomCoordinates } from '../projection/random.ts';
import {
  atMost,
  columnOf,
  number,
  rowsOf,
  Unmakeable,
  vectorsOf,
  whole,
  writing,
  type Made,
  type Making,
  type Numbered,
} from './making.ts';

/** Coordinates as columns: x and y, and c2 and so on beyond them. */
const placed = (making: Making, rows: Uint32Array, values: Float32Array, width: number, more: object = {}): Made => {
  const columns = Array.from({ length: width }, (_, at) => ['x', 'y'][at] ?? `c${at}`);
  const columnAt = (at: number): Float32Array => Float32Array.from(rows, (_, row) => values[row * width + at]!);
  return {
    result: { rows: rows.length, dimensions: width, columns, ...more },
    write: writing(
      making,
      rows,
      columns.map((name, at) => number(name, columnAt(at))),
    ),
  };
};

const upstreamVectors = (making: Making): Promise<Numbered> => vectorsOf(making, making.upstream('vectors'));

export const randomPlaces = async (making: Making): Promise<Made> => {
  const rows = await rowsOf(making, making.upstream('rows'));
  return placed(making, rows, randomCoordinates(rows.length, making.resource.id), 2);
};

/** Two of the numbers of each vector as they are. */
export const derivedPlaces = async (making: Making): Promise<Made> => {
  const [x, y] = making.resource.params['dims'] as [number, number];
  const { rows, values, dims } = await upstreamVectors(making);
  if (x >= dims || y >= dims) throw new Unmakeable(`dims ${x} and ${y} of vectors of ${dims} numbers, which are counted from 0`);
  return placed(making, rows, pairs(rows, values, dims, x, y), 2);
};

const pairs = (rows: Uint32Array, values: Float32Array, dims: number, x: number, y: number): Float32Array => {
  const xy = new Float32Array(rows.length * 2);
  for (let row = 0; row < rows.length; row += 1) xy.set([values[row * dims + x]!, values[row * dims + y]!], row * 2);
  return xy;
};

const components =
  (name: 'pca' | 'svd') =>
  async (making: Making): Promise<Made> => {
    const { rows, values, dims } = await upstreamVectors(making);
    atMost(50_000, { rows });
    const count = making.resource.params['n_components'] as number;
    if (count > dims) throw new Unmakeable(`n_components ${count} of vectors of ${dims} numbers`);
    const { values: coordinates, explained }: Coordinates = await making.computing.run(name, values, dims, count);
    return placed(making, rows, coordinates, count, { explained_variance_ratio: explained });
  };

export const pcaPlaces = components('pca');
export const svdPlaces = components('svd');

export const umapPlaces = async (making: Making): Promise<Made> => {
  const { rows, values, dims } = await upstreamVectors(making);
  atMost(10_000, { rows });
  if (rows.length < 3) throw new Unmakeable(`UMAP places three points or more, and there are ${rows.length}`);
  return placed(making, rows, await making.computing.run('umap', values, dims, making.resource.params as UmapOptions), 2);
};

export const tsnePlaces = async (making: Making): Promise<Made> => {
  const { rows, values, dims } = await upstreamVectors(making);
  atMost(3_000, { rows });
  const {
    perplexity,
    early_exaggeration: early,
    early_exaggeration_iter: exaggerated,
    n_iter: iterations,
    exaggeration,
  } = making.resource.params as {
    perplexity: number;
    early_exaggeration: number | 'auto';
    early_exaggeration_iter: number;
    n_iter: number;
    exaggeration: number | null;
  };
  const options: TsneOptions = {
    perplexity,
    exaggeration: early === 'auto' ? 12 : early,
    exaggerated,
    iterations,
    later: exaggeration ?? 1,
  };
  return placed(making, rows, await making.computing.run('tsne', values, dims, options), 2);
};

/** The points dealt to tiles, by places that fill the square. */
export const quadtree = async (making: Making): Promise<Made> => {
  const fields = making.resource.params['colorable_fields'] as string[];
  for (const name of fields) columnOf(making, name);
  const { rows, values, dims } = await vectorsOf(making, making.upstream('places'));
  if (dims !== 2) throw new Unmakeable(`a map has two dimensions, and these places have ${dims}`);
  const xy = new Float32Array(values.length);
  for (const axis of [0, 1]) {
    let [low, high] = [Infinity, -Infinity];
    for (let at = axis; at < values.length; at += 2) [low, high] = [Math.min(low, values[at]!), Math.max(high, values[at]!)];
    for (let at = axis; at < values.length; at += 2) xy[at] = high > low ? ((values[at]! - low) / (high - low)) * 2 - 1 : 0;
  }
  const { tix, rix } = assignTiles(xy);
  const tree = placed(making, rows, xy, 2, { tiles: new Set(tix).size });
  const columnAt = (axis: number): Float32Array => Float32Array.from(rows, (_, row) => xy[row * 2 + axis]!);
  return {
    result: tree.result,
    write: writing(making, rows, [
      number('x', columnAt(0)),
      number('y', columnAt(1)),
      whole('tix', Int32Array.from(tix)),
      whole('rix', Int32Array.from(rix)),
    ]),
  };
};
