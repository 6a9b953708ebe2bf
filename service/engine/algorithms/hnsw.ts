import { squaredDistance } from './squared-distance.ts';
import { createRandom } from '../projection/random.ts';

/** A graph of near neighbours in layers (HNSW): for each point its neighbours by layer, from the lowest on. */
export type Graph = { entry: number; neighbors: number[][][] };

type Found = { point: number; distance: number };

/** The nearest points that a walk through one layer finds, `ef` of them at most, nearest first. */
const searchLayer = (
  graph: Graph,
  distanceTo: (point: number) => number,
  entries: readonly Found[],
  ef: number,
  layer: number,
): Found[] => {
  const seen = new Set(entries.map(({ point }) => point));
  const open = [...entries];
  let best = [...entries].toSorted((a, b) => a.distance - b.distance);
  for (;;) {
    const at = open.reduce((least, each, place) => (each.distance < open[least]!.distance ? place : least), 0);
    const [next] = open.splice(at, 1);
    if (!next || (best.length >= ef && next.distance > best.at(-1)!.distance)) return best;
    for (const point of graph.neighbors[next.point]![layer] ?? []) {
      if (seen.has(point)) continue;
      seen.add(point);
      const found = { point, distance: distanceTo(point) };
      if (best.length < ef || found.distance < best.at(-1)!.distance) {
        open.push(found);
        best = [...best, found].toSorted((a, b) => a.distance - b.distance).slice(0, ef);
      }
    }
  }
};

/** Neighbours that lead somewhere: each is nearer to the point than to those that were chosen before it, then the nearest that are left. */
const chosen = (candidates: readonly Found[], most: number, between: (a: number, b: number) => number): number[] => {
  const picked: Found[] = [];
  for (const each of candidates)
    if (picked.length < most && picked.every(({ point }) => between(point, each.point) > each.distance)) picked.push(each);
  for (const each of candidates) if (picked.length < most && !picked.includes(each)) picked.push(each);
  return picked.map(({ point }) => point);
};

/** Builds the graph of vectors (n × dims numbers), one after the other. Deterministic. */
export const buildGraph = (vectors: Float32Array, dims: number, most: number, ef: number): Graph => {
  const n = vectors.length / dims;
  const random = createRandom('hnsw');
  const between = (a: number, b: number): number => squaredDistance(vectors, a, vectors, b, dims);
  const graph: Graph = { entry: 0, neighbors: [] };
  for (let point = 0; point < n; point += 1) {
    const level = Math.floor(-Math.log(1 - random()) / Math.log(most));
    graph.neighbors.push(Array.from({ length: level + 1 }, () => []));
    if (point === 0) continue;
    const distanceTo = (other: number): number => between(point, other);
    const highest = graph.neighbors[graph.entry]!.length - 1;
    let entries: Found[] = [{ point: graph.entry, distance: distanceTo(graph.entry) }];
    for (let layer = highest; layer > level; layer -= 1) entries = searchLayer(graph, distanceTo, entries, 1, layer);
    for (let layer = Math.min(level, highest); layer >= 0; layer -= 1) {
      entries = searchLayer(graph, distanceTo, entries, ef, layer);
      const room = layer === 0 ? most * 2 : most;
      for (const other of (graph.neighbors[point]![layer] = chosen(entries, most, between))) {
        const back = graph.neighbors[other]![layer]!;
        back.push(point);
        if (back.length > room) {
          const sorted = back.map((each) => ({ point: each, distance: between(other, each) })).toSorted((a, b) => a.distance - b.distance);
          graph.neighbors[other]![layer] = chosen(sorted, room, between);
        }
      }
    }
    if (level > highest) graph.entry = point;
  }
  return graph;
};

/** The `k` points that the graph finds nearest to one of its own. */
export const nearestInGraph = (graph: Graph, vectors: Float32Array, dims: number, point: number, k: number, ef: number): number[] => {
  const distanceTo = (other: number): number => squaredDistance(vectors, point, vectors, other, dims);
  let entries: Found[] = [{ point: graph.entry, distance: distanceTo(graph.entry) }];
  for (let layer = graph.neighbors[graph.entry]!.length - 1; layer > 0; layer -= 1)
    entries = searchLayer(graph, distanceTo, entries, 1, layer);
  return searchLayer(graph, distanceTo, entries, Math.max(ef, k), 0)
    .slice(0, k)
    .map((each) => each.point);
};

/** The graph as rows, and the share of the truly nearest that it finds, measured on some of its points. */
export const measuredGraph = (
  vectors: Float32Array,
  dims: number,
  { most, ef, k }: { most: number; ef: number; k: number },
): { neighbors: string[]; layers: number; recall: number } => {
  const n = vectors.length / dims;
  const graph = buildGraph(vectors, dims, most, ef);
  const step = Math.max(1, Math.floor(n / 50));
  let [found, asked] = [0, 0];
  for (let point = 0; point < n; point += step) {
    const exact = Array.from({ length: n }, (_, other) => ({ other, distance: squaredDistance(vectors, point, vectors, other, dims) }))
      .toSorted((a, b) => a.distance - b.distance)
      .slice(0, k);
    const farthest = exact.at(-1)!.distance;
    asked += exact.length;
    found += nearestInGraph(graph, vectors, dims, point, k, ef).filter(
      (each) => squaredDistance(vectors, point, vectors, each, dims) <= farthest,
    ).length;
  }
  return {
    neighbors: graph.neighbors.map((layers) => JSON.stringify(layers)),
    layers: graph.neighbors[graph.entry]?.length ?? 0,
    recall: asked === 0 ? 1 : found / asked,
  };
};
