import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Projection, ProjectionRequest } from './thread.ts';

export type { Projection, ProjectionRequest } from './thread.ts';

const entry = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);

/**
 * Coordinates and tiles, computed in a worker thread. Vectors that own their buffer are moved there, not copied: the
 * caller's array is empty afterwards (a SharedArrayBuffer is shared instead). Aborting rejects and ends the thread.
 */
export const projectInThread = (request: ProjectionRequest, { signal }: { signal?: AbortSignal } = {}): Promise<Projection> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const buffer = 'vectors' in request ? request.vectors.buffer : undefined;
    const whole = buffer instanceof ArrayBuffer && 'vectors' in request && request.vectors.byteLength === buffer.byteLength;
    const worker = new Worker(entry, {
      workerData: request,
      transferList: whole ? [buffer] : [],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    const stop = (): void => {
      reject(signal!.reason as Error);
      void worker.terminate();
    };
    signal?.addEventListener('abort', stop, { once: true });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      signal?.removeEventListener('abort', stop);
      reject(new Error(`the projection thread ended with code ${code}`));
    });
  });
