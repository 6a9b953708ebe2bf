import { umap } from '../algorithms/places.ts';
import { fitAxes, type Axes } from './project.ts';
import type { UmapSettings } from './settings.ts';

/** Components that vectors are compared by: beyond them it is noise, and sixteen times the time. */
const COMPONENTS = 48;

/**
 * Points that have a place by UMAP, by their leading components: whoever comes later stands among those of them that are nearest. Plain
 * values, so that it can be kept as JSON; numbers as base64 of 32 bits each.
 */
export type NearModel = { axes: Axes; near: number; points: string; xy: string };

const packed = (values: Float32Array): string => Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');
const unpacked = (text: string): Float32Array => {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
};

/** Coordinates of vectors along the directions of some axes. */
const along = ({ mean, directions }: Axes, vectors: Float32Array): Float32Array => {
  const dims = mean.length;
  const count = vectors.length / dims;
  const values = new Float32Array(count * directions.length);
  for (let row = 0; row < count; row += 1)
    for (const [at, direction] of directions.entries()) {
      let place = 0;
      for (let k = 0; k < dims; k += 1) place += (vectors[row * dims + k]! - mean[k]!) * direction[k]!;
      values[row * directions.length + at] = place;
    }
  return values;
};

/** Each axis scaled to fill [-1, 1]; one on which all points agree is 0. */
const filled = (xy: Float32Array): Float32Array => {
  const scaled = new Float32Array(xy.length);
  for (const axis of [0, 1]) {
    let [low, high] = [Infinity, -Infinity];
    for (let at = axis; at < xy.length; at += 2) [low, high] = [Math.min(low, xy[at]!), Math.max(high, xy[at]!)];
    if (!(high - low > 1e-6)) continue;
    for (let at = axis; at < xy.length; at += 2) scaled[at] = ((xy[at]! - low) / (high - low)) * 2 - 1;
  }
  return scaled;
};

const differing = (points: Float32Array, width: number): number => {
  const seen = new Set<string>();
  for (let at = 0; at < points.length && seen.size < 3; at += width) seen.add(points.subarray(at, at + width).join());
  return seen.size;
};

/** Places some vectors (n × dims numbers) by UMAP. Deterministic. */
export const fitNear = (sample: Float32Array, dims: number, { n_neighbors, ...settings }: UmapSettings): NearModel => {
  const axes = fitAxes(sample, dims, { count: Math.min(COMPONENTS, dims) });
  const points = along(axes, sample);
  // Of fewer places than three there is no neighbourhood.
  if (differing(points, axes.directions.length) < 3)
    return { axes, near: n_neighbors, points: packed(points), xy: packed(new Float32Array((sample.length / dims) * 2)) };
  const xy = umap(points, axes.directions.length, {
    ...settings,
    n_neighbors,
    metric: 'euclidean',
    repulsion_strength: 1,
    negative_sample_rate: 5,
    cluster_unique_points: true,
  });
  return { axes, near: n_neighbors, points: packed(points), xy: packed(filled(xy)) };
};

/** What later points are placed by where some vectors have a place already, however they came by it. */
export const modelOfPlaces = (sample: Float32Array, xy: Float32Array, dims: number): NearModel => {
  const axes = fitAxes(sample, dims, { count: Math.min(COMPONENTS, dims) });
  return { axes, near: 15, points: packed(along(axes, sample)), xy: packed(xy) };
};

/** The places of the nearest, each by its nearness; that of an equal one where there is one. */
const among = (point: Float32Array, points: Float32Array, xy: Float32Array, near: number): [number, number] => {
  const width = point.length;
  const best: { at: number; distance: number }[] = [];
  for (let at = 0; at * width < points.length; at += 1) {
    let distance = 0;
    const most = best.length < near ? Infinity : best.at(-1)!.distance;
    for (let k = 0; k < width && distance < most; k += 1) distance += (points[at * width + k]! - point[k]!) ** 2;
    if (distance >= most) continue;
    if (distance === 0) return [xy[at * 2]!, xy[at * 2 + 1]!];
    if (best.length === near) best.pop();
    const place = best.findLastIndex((each) => each.distance <= distance) + 1;
    best.splice(place, 0, { at, distance });
  }
  let [x, y, weight] = [0, 0, 0];
  for (const { at, distance } of best) {
    x += xy[at * 2]! / distance;
    y += xy[at * 2 + 1]! / distance;
    weight += 1 / distance;
  }
  return [x / weight, y / weight];
};

/** Places `points` vectors, batch by batch, by those that have a place. */
export const createNearPlacing = (model: NearModel, count: number) => {
  const { axes, near } = model;
  const [points, xy] = [unpacked(model.points), unpacked(model.xy)];
  const width = axes.directions.length;
  const places = new Float32Array(count * 2);
  let placed = 0;
  return {
    /** Returns how many are placed by now. */
    place(vectors: Float32Array): number {
      const values = along(axes, vectors);
      for (let at = 0; at * width < values.length; at += 1, placed += 1)
        places.set(among(values.subarray(at * width, (at + 1) * width), points, xy, near), placed * 2);
      return placed;
    },
    axes: (): NearModel => model,
    xy: (): Float32Array => places,
  };
};
