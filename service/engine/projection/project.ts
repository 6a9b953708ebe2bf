import { createRandom } from './random.ts';

/** Rows that the axes are fitted on; all rows are then placed on them. */
const SAMPLE = 5_000;
/** Directions iterated beside the wanted ones: what is wanted then converges by the gap to the first that is not iterated. */
const BESIDE = 2;
const ITERATIONS = 24;

/** Numbers of the rows that axes of n vectors are fitted on, ascending. */
export const sampleRows = (n: number): Uint32Array => {
  if (n <= SAMPLE) return Uint32Array.from({ length: n }, (_, i) => i);
  const random = createRandom('sample');
  return Uint32Array.from({ length: SAMPLE }, (_, i) => Math.floor(((i + random()) * n) / SAMPLE));
};

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

/** Gram-Schmidt, twice is enough; a direction without length becomes zero. */
const orthonormalise = (basis: Float64Array[]): void => {
  for (const [i, v] of basis.entries()) {
    for (let pass = 0; pass < 2; pass++) {
      for (const u of basis.slice(0, i)) {
        const along = dot(u, v);
        for (let k = 0; k < v.length; k++) v[k]! -= along * u[k]!;
      }
    }
    const length = Math.sqrt(dot(v, v));
    for (let k = 0; k < v.length; k++) v[k] = length > 1e-9 ? v[k]! / length : 0;
  }
};

/** Rows about their mean, so that the covariance is applied as two passes over them and never built. */
const centred = (vectors: Float32Array, dims: number): { rows: Float32Array; mean: number[] } => {
  const n = vectors.length / dims;
  const mean = Array.from({ length: dims }, () => 0);
  for (let at = 0; at < vectors.length; at++) mean[at % dims]! += vectors[at]! / n;
  return { rows: vectors.map((value, at) => value - mean[at % dims]!), mean };
};

const applyCovariance = (rows: Float32Array, v: Float64Array): Float64Array => {
  const dims = v.length;
  const out = new Float64Array(dims);
  for (let at = 0; at < rows.length; at += dims) {
    let along = 0;
    for (let k = 0; k < dims; k++) along += rows[at + k]! * v[k]!;
    for (let k = 0; k < dims; k++) out[k]! += along * rows[at + k]!;
  }
  return out;
};

/** The directions of largest variance; the sign is fixed by the largest component. */
const principalAxes = (rows: Float32Array, dims: number, count: number, iterations: number): Float64Array[] => {
  const random = createRandom('axes');
  let basis: Float64Array[] = Array.from({ length: Math.min(count + BESIDE, dims) }, () =>
    Float64Array.from({ length: dims }, () => random() - 0.5),
  );
  orthonormalise(basis);
  for (let i = 0; i < iterations; i++) {
    basis = basis.map((v) => applyCovariance(rows, v));
    // Longest first, or Gram-Schmidt would keep whichever direction happened to stand first.
    basis.sort((a, b) => dot(b, b) - dot(a, a));
    orthonormalise(basis);
  }
  const axes = basis.slice(0, count);
  for (const axis of axes) {
    const largest = axis.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
    if (largest < 0) for (let k = 0; k < dims; k++) axis[k] = -axis[k]!;
  }
  return axes;
};

/**
 * A plane through the vectors: its origin, its two directions, and from `low` to `high` what fills the square on each
 * (absent until points were placed). Plain numbers, so that it can be kept as JSON.
 */
export type Axes = { mean: number[]; directions: number[][]; range?: { low: number; high: number }[] };

/** Directions along which vectors (n × dims numbers) lie farthest from zero: their right singular vectors. Deterministic. */
export const directionsOf = (vectors: Float32Array, dims: number, { count = 2, iterations = ITERATIONS } = {}): number[][] =>
  principalAxes(vectors, dims, count, iterations).map((direction) => Array.from(direction));

/** The first principal components of some vectors (n × dims numbers), two unless more are wanted. Deterministic. */
export const fitAxes = (sample: Float32Array, dims: number, { count = 2, iterations = ITERATIONS } = {}): Axes => {
  if (dims < 1 || sample.length % dims !== 0) throw new RangeError(`fitAxes: ${sample.length} numbers are not rows of ${dims}`);
  const { rows, mean } = centred(sample, dims);
  return { mean, directions: principalAxes(rows, dims, count, iterations).map((direction) => Array.from(direction)) };
};

/**
 * Places `points` vectors on axes, batch by batch. The first to be placed on axes set their range, each axis scaled to
 * fill [-1, 1]; whoever comes later is placed in that range, at its edge where it lies outside.
 */
export const createPlacing = ({ mean, directions, range }: Axes, points: number) => {
  const dims = mean.length;
  const places = directions.map(() => new Float64Array(points));
  let placed = 0;
  const ranges = (): { low: number; high: number }[] =>
    range ??
    places.map((values) => ({
      low: values.reduce((least, value) => Math.min(least, value), Infinity),
      high: values.reduce((most, value) => Math.max(most, value), -Infinity),
    }));
  return {
    /** Returns how many are placed by now. */
    place(vectors: Float32Array): number {
      if (vectors.length % dims !== 0) throw new RangeError(`place: ${vectors.length} numbers are not rows of ${dims}`);
      for (const [axis, direction] of directions.entries()) {
        const values = places[axis]!;
        for (let at = 0, row = placed; at < vectors.length; at += dims, row++) {
          let place = 0;
          for (let k = 0; k < dims; k++) place += (vectors[at + k]! - mean[k]!) * direction[k]!;
          values[row] = place;
        }
      }
      placed += vectors.length / dims;
      return placed;
    },
    axes: (): Axes => ({ mean, directions, range: ranges() }),
    xy(): Float32Array {
      const xy = new Float32Array(points * 2);
      for (const [axis, { low, high }] of ranges().entries()) {
        // Below this the spread is rounding noise of equal vectors, not variance.
        if (!(high - low > 1e-6)) continue;
        const values = places[axis]!;
        for (let i = 0; i < points; i++) xy[i * 2 + axis] = Math.min(1, Math.max(-1, ((values[i]! - low) / (high - low)) * 2 - 1));
      }
      return xy;
    },
  };
};

/** Places of vectors (n × dims numbers) → n × 2 in [-1, 1], on axes fitted on 5,000 of them. Equal vectors get equal places. */
export const projectVectors = (vectors: Float32Array, dims: number): Float32Array => {
  if (dims < 1 || vectors.length % dims !== 0) throw new RangeError(`projectVectors: ${vectors.length} numbers are not rows of ${dims}`);
  const picked = sampleRows(vectors.length / dims);
  const sample = new Float32Array(picked.length * dims);
  for (const [i, row] of picked.entries()) sample.set(vectors.subarray(row * dims, (row + 1) * dims), i * dims);
  const placing = createPlacing(fitAxes(sample, dims), vectors.length / dims);
  placing.place(vectors);
  return placing.xy();
};
