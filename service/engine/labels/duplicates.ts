import { fitAxes } from '../projection/project.ts';

/** What a point is among its duplicates, in the words of the hosted service. */
export const duplicateClasses = ['singleton', 'retention candidate', 'deletion candidate'] as const;

/** Of each point: the number of its group, by the first point of each from 0 on, and its class by its place in `duplicateClasses`. */
export type Duplicates = { cluster: Uint32Array; kind: Uint8Array };

/** Numbers by which most pairs are found different before their whole vectors are looked at. */
const LEADING = 24;
/** What rounding may take from a bound. */
const SLACK = 1e-4;

/** Vectors of length 1; those without direction stay zero, and are a distance of 1 from all. */
const unit = (vectors: Float32Array, dims: number): Float32Array => {
  for (let row = 0; row * dims < vectors.length; row += 1) {
    const of = vectors.subarray(row * dims, (row + 1) * dims);
    const length = Math.sqrt(of.reduce((sum, value) => sum + value * value, 0));
    if (length > 0) for (let at = 0; at < dims; at += 1) of[at] = of[at]! / length;
  }
  return vectors;
};

/** The vectors along their leading directions: distances there are never larger than those of the vectors. */
const leading = (vectors: Float32Array, dims: number): { values: Float32Array; width: number } => {
  const rows = vectors.length / dims;
  const width = Math.min(LEADING, dims);
  const step = Math.max(1, Math.floor(rows / 2_000));
  const sample = new Float32Array(Math.ceil(rows / step) * dims);
  for (let at = 0; at * dims < sample.length; at += 1) sample.set(vectors.subarray(at * step * dims, (at * step + 1) * dims), at * dims);
  const { mean, directions } = fitAxes(sample, dims, { count: width, iterations: 6 });
  const values = new Float32Array(rows * directions.length);
  for (let row = 0; row < rows; row += 1)
    for (const [at, direction] of directions.entries()) {
      let along = 0;
      for (let k = 0; k < dims; k += 1) along += (vectors[row * dims + k]! - mean[k]!) * direction[k]!;
      values[row * directions.length + at] = along;
    }
  return { values, width: directions.length };
};

/**
 * Groups of points of which each is within `cutoff` of another by cosine distance (1 − cosine), found among all pairs: none is left
 * out, but most are found different by a few numbers. The first point of a group is the one to keep.
 */
export const duplicatesOf = (vectors: Float32Array, dims: number, cutoff: number): Duplicates => {
  const rows = vectors.length / dims;
  const points = unit(vectors, dims);
  const parent = Uint32Array.from({ length: rows }, (_, row) => row);
  const top = (row: number): number => {
    let at = row;
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!;
    return at;
  };
  const distance = (a: number, b: number): number => {
    let dot = 0;
    for (let at = 0; at < dims; at += 1) dot += points[a * dims + at]! * points[b * dims + at]!;
    return 1 - dot;
  };
  const { values, width } = leading(points, dims);
  // The squared distance of vectors of length 1 or 0 is at most twice their cosine distance.
  const most = 2 * cutoff + SLACK;
  const order = Uint32Array.from({ length: rows }, (_, row) => row).toSorted((a, b) => values[a * width]! - values[b * width]!);
  for (let i = 0; i < rows; i += 1) {
    const a = order[i]!;
    for (let j = i + 1; j < rows; j += 1) {
      const b = order[j]!;
      let squared = 0;
      let at = 0;
      for (; at < width && squared <= most; at += 1) squared += (values[b * width + at]! - values[a * width + at]!) ** 2;
      // Along the first direction they stand in order: what follows is no nearer.
      if (at === 1 && squared > most) break;
      if (squared > most || top(a) === top(b) || distance(a, b) > cutoff) continue;
      const [first, second] = [top(a), top(b)].toSorted((x, y) => x - y) as [number, number];
      parent[second] = first;
    }
  }
  const size = new Uint32Array(rows);
  for (let row = 0; row < rows; row += 1) size[top(row)]! += 1;
  const numbers = new Map<number, number>();
  const cluster = new Uint32Array(rows);
  const kind = new Uint8Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const group = top(row);
    if (group === row) numbers.set(row, numbers.size);
    cluster[row] = numbers.get(group)!;
    kind[row] = size[group] === 1 ? 0 : group === row ? 1 : 2;
  }
  return { cluster, kind };
};
