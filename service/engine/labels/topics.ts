import { createRandom } from '../projection/random.ts';
import { fitCentres, nearestCentres } from './k-means.ts';
import { mergedGroups } from './merge.ts';
import { sketchDims, sketched } from './sketch.ts';

/**
 * Topics of a map, without their names: the centres of the finest ones (sketches of vectors), and for each depth from the
 * coarsest on the topic of each of them. Plain numbers, so that it can be kept as JSON: later points find their topics by it.
 */
export type TopicModel = { dims: number; centres: number[]; depths: number[][] };

/** Vectors that topics are fitted on. */
export const topicSample = 10_000;

const finest = { least: 2, most: 200 } as const;

/** How many topics there are at each depth of a map of so many points, the coarsest first. */
export const topicCounts = (points: number): number[] => {
  const leaves = Math.min(finest.most, Math.max(finest.least, Math.round(Math.sqrt(points) / 1.5)));
  const depths = leaves < 3 ? 1 : leaves < 27 ? 2 : 3;
  return Array.from({ length: depths }, (_, at) => Math.max(2, Math.round(leaves ** ((at + 1) / depths))));
};

/** Fits topics on vectors (n × dims numbers) of a map of `points`. Every topic of a depth lies within one of the depth above it. */
export const fitTopics = (vectors: Float32Array, dims: number, points: number): TopicModel => {
  const wanted = topicCounts(points);
  const width = sketchDims(dims);
  const sample = sketched(vectors, dims);
  const centres = fitCentres(sample, width, wanted.at(-1)!, createRandom('topics'));
  const sizes = Array.from({ length: centres.length / width }, () => 0);
  for (const leaf of nearestCentres(sample, centres, width)) sizes[leaf]! += 1;
  // Points that differ less than was expected give fewer topics: no depth repeats the one above it.
  const counts = [...new Set(wanted.map((count) => Math.min(count, sizes.length)))];
  const merged = mergedGroups(centres, width, sizes, counts);
  const firsts = counts.map((_, at) => counts.slice(0, at).reduce((sum, count) => sum + count, 1));
  return { dims, centres: Array.from(centres), depths: merged.map((groups, at) => groups.map((group) => firsts[at]! + group)) };
};

/** The finest topic of each vector, by its number in the model. */
export const leavesOf = (vectors: Float32Array, { dims, centres }: Pick<TopicModel, 'dims' | 'centres'>): Uint16Array =>
  nearestCentres(sketched(vectors, dims), Float32Array.from(centres), sketchDims(dims));

/**
 * The middle of each of `count` groups that were made otherwise, as the centres of a model; `groups` says of each vector in which it is, and a number
 * below 0 that it is in none.
 */
export const middlesOf = (vectors: Float32Array, dims: number, groups: Int32Array, count: number): number[] => {
  const width = sketchDims(dims);
  const points = sketched(vectors, dims);
  const [sums, sizes] = [new Float64Array(count * width), new Uint32Array(count)];
  for (const [row, group] of groups.entries()) {
    if (group < 0) continue;
    sizes[group]! += 1;
    for (let at = 0; at < width; at += 1) sums[group * width + at]! += points[row * width + at]!;
  }
  return Array.from(sums, (sum, at) => Math.fround(sum / sizes[Math.floor(at / width)]!));
};
