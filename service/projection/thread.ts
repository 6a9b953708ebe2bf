import { parentPort, workerData } from 'node:worker_threads';
import { projectVectors } from './project.ts';
import { assignTiles } from './quadtree.ts';
import { randomCoordinates } from './random.ts';

/** What is placed: vectors, or so many points at random. */
export type ProjectionRequest = { vectors: Float32Array; dims: number } | { points: number; seed: string };
export type Projection = { xy: Float32Array; tix: Uint32Array; rix: Uint32Array };

const request = workerData as ProjectionRequest;
const xy = 'vectors' in request ? projectVectors(request.vectors, request.dims) : randomCoordinates(request.points, request.seed);
const projection: Projection = { xy, ...assignTiles(xy) };
parentPort!.postMessage(projection, [projection.xy.buffer, projection.tix.buffer, projection.rix.buffer] as ArrayBuffer[]);
