import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hdbscan } from '../../service/engine/algorithms/hdbscan.ts';
import { measuredGraph } from '../../service/engine/algorithms/hnsw.ts';
import { pca, svd, umap } from '../../service/engine/algorithms/places.ts';
import { tsne } from '../../service/engine/algorithms/tsne.ts';
import { createRandom } from '../../service/engine/projection/random.ts';

const drawn = (seed: string, rows: number, dims: number, scale: (at: number) => number = () => 1): Float32Array => {
  const random = createRandom(seed);
  return Float32Array.from({ length: rows * dims }, (_, at) => (random() + random() + random() - 1.5) * scale(at % dims));
};

const columnsOf = (values: Float32Array, width: number): number[][] =>
  Array.from({ length: width }, (_, at) => Array.from(values).filter((_value, place) => place % width === at));
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

/** Products of the columns of vectors, about their means or about zero. */
const products = (vectors: Float32Array, dims: number, centred: boolean): number[][] => {
  const columns = columnsOf(vectors, dims).map((column) => {
    const mean = centred ? column.reduce((sum, value) => sum + value, 0) / column.length : 0;
    return column.map((value) => value - mean);
  });
  return columns.map((a) => columns.map((b) => dot(a, b)));
};

test.each([
  { name: 'PCA', of: pca, centred: true },
  { name: 'SVD', of: svd, centred: false },
])(
  '$name is what it is by definition: uncorrelated coordinates whose variances are the largest eigenvalues, and which rebuild what there is',
  ({ of, centred }) => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 8 }), fc.integer({ min: 12, max: 60 }), (seed, rows) => {
        const dims = 5;
        const vectors = drawn(seed, rows, dims, (at) => 3 ** (dims - at));
        const matrix = products(vectors, dims, centred);
        const trace = matrix.reduce((sum, row, at) => sum + row[at]!, 0);
        const { values, explained } = of(vectors.slice(), dims, dims);
        const columns = columnsOf(values, dims);
        // Uncorrelated.
        for (let a = 0; a < dims; a += 1)
          for (let b = 0; b < a; b += 1) expect(Math.abs(dot(columns[a]!, columns[b]!)) / trace).toBeLessThan(1e-3);
        const variances = columns.map((column) => dot(column, column));
        expect(
          variances
            .toSorted((a, b) => b - a)
            .map((value, at) => Math.abs(value - variances[at]!) / trace)
            .every((off) => off < 1e-3),
        ).toBe(true);
        // All of them explain everything, and the sum of squares of the eigenvalues is that of the matrix.
        expect(explained.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 3);
        const squares = matrix.flat().reduce((sum, value) => sum + value * value, 0);
        expect(Math.sqrt(variances.reduce((sum, value) => sum + value * value, 0) / squares)).toBeCloseTo(1, 3);
      }),
      { numRuns: 25 },
    );
  },
);

/** Three crowds far from each other, and a few points far from all. */
const crowds = (each: number, dims = 6): { vectors: Float32Array; crowd: number[] } => {
  const noise = drawn('crowds', each * 3, dims, () => 0.2);
  const crowd = Array.from({ length: each * 3 }, (_, row) => row % 3);
  return { vectors: noise.map((value, at) => value + (at % dims === crowd[Math.floor(at / dims)]! ? 10 : 0)), crowd };
};

const ofOneCrowd = (xy: Float32Array, crowd: readonly number[]): number => {
  const nearest = crowd.map((_, a) => {
    let [best, least] = [-1, Infinity];
    for (const b of crowd.keys()) {
      const distance = (xy[a * 2]! - xy[b * 2]!) ** 2 + (xy[a * 2 + 1]! - xy[b * 2 + 1]!) ** 2;
      if (a !== b && distance < least) [best, least] = [b, distance];
    }
    return best;
  });
  return nearest.filter((b, a) => crowd[b] === crowd[a]).length / crowd.length;
};

test('t-SNE and UMAP leave together what is near, the same each time', () => {
  const { vectors, crowd } = crowds(25);
  const options = { perplexity: 10, exaggeration: 12, exaggerated: 50, iterations: 150, later: 1 };
  const placed = tsne(vectors, 6, options);
  expect(ofOneCrowd(placed, crowd)).toBe(1);
  expect(tsne(vectors, 6, options)).toEqual(placed);
  const settings = {
    n_neighbors: 8,
    min_dist: 0.1,
    metric: 'euclidean',
    repulsion_strength: 1,
    negative_sample_rate: 5,
    n_epochs: 100,
    cluster_unique_points: true,
  } as const;
  const twice = Float32Array.from([...vectors, ...vectors.subarray(0, 6)]);
  const mapped = umap(twice, 6, settings);
  expect(ofOneCrowd(mapped.subarray(0, crowd.length * 2), crowd)).toBe(1);
  expect(Array.from(mapped.subarray(-2))).toEqual(Array.from(mapped.subarray(0, 2)));
  expect(umap(twice, 6, settings)).toEqual(mapped);
});

test('HDBSCAN finds crowds of any place and calls the rest noise', () => {
  const { vectors, crowd } = crowds(20);
  const far = Float32Array.from({ length: 5 * 6 }, (_, at) => (at % 6 === Math.floor(at / 6) ? -300 - at * 40 : 0));
  const labels = hdbscan(Float32Array.from([...vectors, ...far]), 6, 8, 4);
  for (const [a, one] of crowd.entries()) expect(labels[a] === -1 || labels[a] === labels[crowd.indexOf(one)]).toBe(true);
  expect(new Set(crowd.map((one) => labels[crowd.indexOf(one)])).size).toBe(3);
  expect(Array.from(labels.subarray(crowd.length))).toEqual(Array.from({ length: 5 }, () => -1));
  expect(Array.from(hdbscan(drawn('few', 4, 2), 2, 8, 4))).toEqual([-1, -1, -1, -1]);
});

test('a graph of neighbours finds nearly all that a comparison with every point finds', () => {
  const { recall, neighbors } = measuredGraph(drawn('graph', 600, 16), 16, { most: 16, ef: 64, k: 10 });
  expect(recall).toBeGreaterThan(0.95);
  expect(neighbors).toHaveLength(600);
});
