import { createRandom } from './random.ts';

export { randomCoordinates } from './random.ts';

/** Rows that the axes are fitted on; all rows are then placed on them. */
const SAMPLE = 5_000;
/** Directions iterated together: more than the two needed, because that converges by the gap to the fifth. */
const SUBSPACE = 4;
const ITERATIONS = 24;

const sampleRows = (n: number): Uint32Array => {
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

/** Centred rows of the sample, so that the covariance is applied as two passes over them and never built. */
const centredSample = (vectors: Float32Array, dims: number): { rows: Float32Array; mean: Float64Array } => {
  const picked = sampleRows(vectors.length / dims);
  const mean = new Float64Array(dims);
  for (const row of picked) for (let k = 0; k < dims; k++) mean[k]! += vectors[row * dims + k]! / picked.length;
  const rows = new Float32Array(picked.length * dims);
  for (const [i, row] of picked.entries()) for (let k = 0; k < dims; k++) rows[i * dims + k] = vectors[row * dims + k]! - mean[k]!;
  return { rows, mean };
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

/** The two directions of largest variance; the sign is fixed by the largest component. */
const principalAxes = (rows: Float32Array, dims: number): Float64Array[] => {
  const random = createRandom('axes');
  let basis: Float64Array[] = Array.from({ length: Math.min(SUBSPACE, dims) }, () =>
    Float64Array.from({ length: dims }, () => random() - 0.5),
  );
  orthonormalise(basis);
  for (let i = 0; i < ITERATIONS; i++) {
    basis = basis.map((v) => applyCovariance(rows, v));
    // Longest first, or Gram-Schmidt would keep whichever direction happened to stand first.
    basis.sort((a, b) => dot(b, b) - dot(a, a));
    orthonormalise(basis);
  }
  const axes = basis.slice(0, 2);
  for (const axis of axes) {
    const largest = axis.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
    if (largest < 0) for (let k = 0; k < dims; k++) axis[k] = -axis[k]!;
  }
  return axes;
};

/**
 * Places vectors on a plane: n × dims numbers → n × 2 in [-1, 1], by the two principal components (fitted on 5,000 rows
 * where there are more), each axis scaled to fill the square. Deterministic. Equal vectors get equal places.
 */
export const projectVectors = (vectors: Float32Array, dims: number): Float32Array => {
  if (dims < 1 || vectors.length % dims !== 0) throw new RangeError(`projectVectors: ${vectors.length} numbers are not rows of ${dims}`);
  const n = vectors.length / dims;
  const xy = new Float32Array(n * 2);
  if (n === 0) return xy;
  const { rows, mean } = centredSample(vectors, dims);
  for (const [axis, direction] of principalAxes(rows, dims).entries()) {
    const places = new Float64Array(n);
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < n; i++) {
      let place = 0;
      for (let k = 0; k < dims; k++) place += (vectors[i * dims + k]! - mean[k]!) * direction[k]!;
      places[i] = place;
      if (place < low) low = place;
      if (place > high) high = place;
    }
    // Below this the spread is rounding noise of equal vectors, not variance.
    const spread = high - low > 1e-6 ? high - low : Infinity;
    for (let i = 0; i < n; i++)
      xy[i * 2 + axis] = spread === Infinity ? 0 : Math.min(1, Math.max(-1, ((places[i]! - low) / spread) * 2 - 1));
  }
  return xy;
};
