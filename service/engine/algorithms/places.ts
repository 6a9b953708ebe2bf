import { UMAP } from 'umap-js';
import { directionsOf, fitAxes } from '../projection/project.ts';
import { createRandom } from '../projection/random.ts';

/** Coordinates, so many numbers for each point, and the share of the variance that each explains. */
export type Coordinates = { values: Float32Array; explained: number[] };

const along = (vectors: Float32Array, dims: number, mean: readonly number[], directions: readonly (readonly number[])[]): Coordinates => {
  const [n, width] = [vectors.length / dims, directions.length];
  const values = new Float32Array(n * width);
  const squares = Array.from({ length: width }, () => 0);
  let total = 0;
  for (let row = 0; row < n; row += 1) {
    for (let k = 0; k < dims; k += 1) total += (vectors[row * dims + k]! - mean[k]!) ** 2;
    for (const [at, direction] of directions.entries()) {
      let place = 0;
      for (let k = 0; k < dims; k += 1) place += (vectors[row * dims + k]! - mean[k]!) * direction[k]!;
      values[row * width + at] = place;
      squares[at]! += place * place;
    }
  }
  return { values, explained: squares.map((sum) => (total > 0 ? sum / total : 0)) };
};

const exact = { iterations: 200 };

/** Principal components: coordinates about the mean, along the directions of largest variance. */
export const pca = (vectors: Float32Array, dims: number, count: number): Coordinates => {
  const { mean, directions } = fitAxes(vectors, dims, { count: Math.min(count, dims), ...exact });
  return along(vectors, dims, mean, directions);
};

/** The left singular vectors times their values: coordinates about zero. */
export const svd = (vectors: Float32Array, dims: number, count: number): Coordinates =>
  along(
    vectors,
    dims,
    Array.from({ length: dims }, () => 0),
    directionsOf(vectors, dims, { count: Math.min(count, dims), ...exact }),
  );

export type UmapOptions = {
  n_neighbors: number;
  min_dist: number;
  /** As wide as `min_dist` at least; 1 where it is not said. */
  spread?: number;
  metric: 'euclidean' | 'cosine';
  repulsion_strength: number;
  negative_sample_rate: number;
  n_epochs: number | null;
  cluster_unique_points: boolean;
};

/** Places in two dimensions by UMAP. Deterministic; with `cluster_unique_points` equal vectors have one place. */
export const umap = (vectors: Float32Array, dims: number, options: UmapOptions): Float32Array => {
  const rows = Array.from({ length: vectors.length / dims }, (_, row) => {
    const values = Array.from(vectors.subarray(row * dims, (row + 1) * dims));
    // Of vectors of length 1 the Euclidean distance orders as the angle does.
    const length = options.metric === 'cosine' ? Math.hypot(...values) || 1 : 1;
    return values.map((value) => value / length);
  });
  const keys = rows.map((row, at) => (options.cluster_unique_points ? row.join() : String(at)));
  const unique = [...new Map(keys.map((key, at) => [key, rows[at]!])).entries()];
  const placed = new UMAP({
    nComponents: 2,
    nNeighbors: Math.min(options.n_neighbors, Math.max(1, unique.length - 1)),
    minDist: options.min_dist,
    spread: options.spread ?? Math.max(1, options.min_dist),
    repulsionStrength: options.repulsion_strength,
    negativeSampleRate: options.negative_sample_rate,
    ...(options.n_epochs === null ? {} : { nEpochs: options.n_epochs }),
    random: createRandom('umap'),
  }).fit(unique.map(([, row]) => row));
  const places = new Map(unique.map(([key], at) => [key, placed[at]!]));
  return Float32Array.from(keys.flatMap((key) => places.get(key)!));
};
