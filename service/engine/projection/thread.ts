import { parentPort, workerData } from 'node:worker_threads';
import { createNearPlacing, fitNear, type NearModel } from './near.ts';
import { createPlacing, fitAxes } from './project.ts';
import type { Axes } from './project.ts';
import { assignTiles } from './quadtree.ts';
import { randomCoordinates } from './random.ts';
import type { UmapSettings } from './settings.ts';

/** What later points are placed by. */
export type PlaceModel = Axes | NearModel;

/**
 * What is placed beside the points that have a place (`kept`, two numbers each): so many points at random, or so many vectors,
 * which follow in batches. `fit`: what is known to place them by, or the vectors that it is made of, by UMAP where there are settings of it.
 */
export type ProjectionRequest = {
  kept: Float32Array;
  points: number;
  from: { seed: string } | { fit: PlaceModel | Float32Array; dims: number; umap: UmapSettings | null };
};

/** Places of all points, the kept ones first. `axes` where vectors were placed: whoever is placed on them later fits in. */
export type Projection = { xy: Float32Array; tix: Uint32Array; rix: Uint32Array; axes: PlaceModel | null };

/** A batch of vectors; answered by how many are placed by now, the last one by the projection. */
export type Batch = { vectors: Float32Array };
export type Placed = { placed: number };

/** How far the dealing of tiles is, on the way to the projection. */
export type Share = { share: number };

const { kept, points, from } = workerData as ProjectionRequest;
const port = parentPort!;

const finish = (fresh: Float32Array, axes: PlaceModel | null): void => {
  const xy = new Float32Array(kept.length + fresh.length);
  xy.set(kept);
  xy.set(fresh, kept.length);
  const projection: Projection = { xy, ...assignTiles(xy, (share) => port.postMessage({ share } satisfies Share)), axes };
  port.postMessage(projection, [projection.xy.buffer, projection.tix.buffer, projection.rix.buffer] as ArrayBuffer[]);
};

if ('seed' in from) finish(randomCoordinates(points, from.seed), null);
else {
  const { fit, dims, umap } = from;
  const model = fit instanceof Float32Array ? (umap === null ? fitAxes(fit, dims) : fitNear(fit, dims, umap)) : fit;
  const placing = 'near' in model ? createNearPlacing(model, points) : createPlacing(model, points);
  const end = (): void => finish(placing.xy(), placing.axes());
  if (points === 0) end();
  port.on('message', ({ vectors }: Batch) => {
    const placed = placing.place(vectors);
    if (placed === points) end();
    else port.postMessage({ placed } satisfies Placed);
  });
}
