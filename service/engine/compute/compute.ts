import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Computation, Given, Result } from './computations.ts';
import type { Asked } from './thread.ts';

const entry = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);

export type Computing = {
  /** One after the other. A first value that is an array of numbers is moved to the thread, not copied: it is empty afterwards. */
  run<N extends Computation>(name: N, ...given: Given<N>): Promise<Result<N>>;
};

/** Runs `work` with a thread for what would hold the service up. Aborting rejects and ends the thread. */
export const withThread = async <T>(signal: AbortSignal | undefined, work: (computing: Computing) => Promise<T>): Promise<T> => {
  signal?.throwIfAborted();
  const worker = new Worker(entry, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const ended = new AbortController();
  const end = (reason: unknown): void => ended.abort(reason);
  worker.once('error', end);
  worker.once('exit', (code) => end(new Error(`the computing thread ended with code ${code}`)));
  const aborted = (): void => end(signal!.reason);
  signal?.addEventListener('abort', aborted, { once: true });
  try {
    return await work({
      async run(name, ...given) {
        const [first] = given as readonly unknown[];
        const answered = once(worker, 'message', { signal: ended.signal });
        worker.postMessage({ name, given } satisfies Asked, ArrayBuffer.isView(first) ? [first.buffer as ArrayBuffer] : []);
        const [{ result }] = (await answered) as [{ result: never }];
        return result;
      },
    });
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', aborted);
    void worker.terminate();
  }
};
