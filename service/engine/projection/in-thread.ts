import { on } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Placed, Projection, ProjectionRequest, Share } from './thread.ts';

export type { PlaceModel, Projection, ProjectionRequest } from './thread.ts';

const entry = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);

/**
 * Coordinates and tiles, computed in a worker thread. Batches of vectors are asked for one at a time and moved there, not
 * copied: their arrays are empty afterwards. `report` gets the share of the points that have a tile. Aborting rejects and ends the thread.
 */
export const projectInThread = async (
  request: ProjectionRequest,
  batches: Iterable<Float32Array> | AsyncIterable<Float32Array> = [],
  { signal, report }: { signal?: AbortSignal; report?: (share: number) => void } = {},
): Promise<Projection> => {
  signal?.throwIfAborted();
  const worker = new Worker(entry, { workerData: request, execArgv: ['--disable-warning=ExperimentalWarning'] });
  const ended = new AbortController();
  const end = (reason: unknown): void => ended.abort(reason);
  worker.once('error', end);
  worker.once('exit', (code) => end(new Error(`the projection thread ended with code ${code}`)));
  const aborted = (): void => end(signal!.reason);
  signal?.addEventListener('abort', aborted, { once: true });

  // Kept in order from the first on: two may come at once.
  const messages = on(worker, 'message', { signal: ended.signal });
  const answer = async (): Promise<Placed | Projection> => {
    for (;;) {
      const { value } = (await messages.next()) as { value: [Placed | Projection | Share] };
      if (!('share' in value[0])) return value[0];
      report?.(value[0].share);
    }
  };
  try {
    if ('seed' in request.from || request.points === 0) return (await answer()) as Projection;
    for await (const vectors of batches) {
      ended.signal.throwIfAborted();
      const answered = answer();
      worker.postMessage({ vectors }, [vectors.buffer as ArrayBuffer]);
      const placed = await answered;
      if ('xy' in placed) return placed;
    }
    throw new Error(`fewer vectors than the ${request.points} points of the map`);
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', aborted);
    void worker.terminate();
  }
};
