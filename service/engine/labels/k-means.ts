import { squaredDistance } from '../algorithms/squared-distance.ts';

/** The centre nearest to each point, the first of equally near ones. */
export const nearestCentres = (points: Float32Array, centres: Float32Array, dims: number): Uint16Array => {
  const count = centres.length / dims;
  return Uint16Array.from({ length: points.length / dims }, (_, row) => {
    let best = 0;
    let least = Infinity;
    for (let at = 0; at < count; at += 1) {
      const distance = squaredDistance(points, row, centres, at, dims);
      if (distance < least) [best, least] = [at, distance];
    }
    return best;
  });
};

/** First centres, each drawn by its squared distance from those before it (k-means++); fewer where no further point differs. */
const seeds = (points: Float32Array, dims: number, k: number, random: () => number): Float32Array => {
  const n = points.length / dims;
  const picked = [Math.floor(random() * n)];
  const distances = Float64Array.from({ length: n }, (_, row) => squaredDistance(points, row, points, picked[0]!, dims));
  while (picked.length < k) {
    const total = distances.reduce((sum, each) => sum + each, 0);
    if (!(total > 1e-9)) break;
    let left = random() * total;
    let next = distances.findIndex((each) => (left -= each) < 0);
    if (next === -1) next = distances.findLastIndex((each) => each > 0);
    picked.push(next);
    for (let row = 0; row < n; row += 1) distances[row] = Math.min(distances[row]!, squaredDistance(points, row, points, next, dims));
  }
  const centres = new Float32Array(picked.length * dims);
  for (const [at, row] of picked.entries()) centres.set(points.subarray(row * dims, (row + 1) * dims), at * dims);
  return centres;
};

const ROUNDS = 15;

/** At most `k` centres of points (n × dims numbers), each the mean of the points nearest to it (Lloyd); none without points. */
export const fitCentres = (points: Float32Array, dims: number, k: number, random: () => number): Float32Array => {
  let centres = seeds(points, dims, k, random);
  let former: Uint16Array | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    const labels = nearestCentres(points, centres, dims);
    if (former?.every((label, row) => label === labels[row])) break;
    former = labels;
    const counts = new Uint32Array(centres.length / dims);
    const sums = new Float64Array(centres.length);
    for (const [row, label] of labels.entries()) {
      counts[label]! += 1;
      for (let at = 0; at < dims; at += 1) sums[label * dims + at]! += points[row * dims + at]!;
    }
    // A centre to which no point is nearest has nothing to be the mean of.
    const filled = [...counts.keys()].filter((label) => counts[label]! > 0);
    centres = new Float32Array(filled.length * dims);
    for (const [at, label] of filled.entries())
      for (let k2 = 0; k2 < dims; k2 += 1) centres[at * dims + k2] = sums[label * dims + k2]! / counts[label]!;
    if (filled.length < counts.length) former = undefined;
  }
  return centres;
};
