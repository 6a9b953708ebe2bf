import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DIMENSIONS } from './layout.ts';
import type { Task } from './layout.ts';
import type { ThreadAnswer, ThreadRequest } from './thread.ts';

type Job = { request: ThreadRequest; resolve(vectors: Float32Array): void; reject(error: Error): void };
type Thread = { worker: Worker; job: Job | undefined };

/** Texts of one message: small enough that a query waits briefly behind a running index job. */
const PART = { semantic: 16, lexical: 512 } as const;

const entry = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);

/** Worker threads that embed; started when there is work for them, kept, replaced when one dies, no reason for the process to stay. */
export const createPool = (provider: 'semantic' | 'lexical', threads: number) => {
  const pool = new Set<Thread>();
  /** Parts by call; calls take turns, so that a query does not wait behind a whole index job. */
  const queue: Job[][] = [];
  let closed = false;

  const start = (): Thread => {
    const worker = new Worker(entry, { workerData: { provider }, execArgv: ['--disable-warning=ExperimentalWarning'] });
    const thread: Thread = { worker, job: undefined };
    const end = (error: Error): void => {
      pool.delete(thread);
      thread.job?.reject(error);
      thread.job = undefined;
      assign();
    };
    worker.on('message', (answer: ThreadAnswer) => {
      const job = thread.job;
      thread.job = undefined;
      worker.unref();
      if ('error' in answer) job?.reject(new Error(`embedding failed: ${answer.error}`));
      else job?.resolve(answer.vectors);
      assign();
    });
    worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', (code) => end(new Error(closed ? 'the embedder was closed' : `an embedding thread ended with code ${code}`)));
    pool.add(thread);
    return thread;
  };

  const assign = (): void => {
    while (queue.length > 0 && !closed) {
      const idle = [...pool].find((thread) => !thread.job) ?? (pool.size < threads ? start() : undefined);
      if (!idle) return;
      const call = queue.shift()!;
      const job = call.shift()!;
      if (call.length > 0) queue.push(call);
      idle.job = job;
      idle.worker.ref();
      idle.worker.postMessage(job.request);
    }
  };

  const embedParts = (requests: ThreadRequest[]): Promise<Float32Array[]> => {
    if (closed) return Promise.reject(new Error('the embedder was closed'));
    const call: Job[] = [];
    const answers = requests.map((request) => new Promise<Float32Array>((resolve, reject) => call.push({ request, resolve, reject })));
    if (call.length > 0) queue.push(call);
    assign();
    return Promise.all(answers);
  };

  return {
    async embed(texts: readonly string[], task: Task, model: string): Promise<Float32Array> {
      // Neighbours of one length share a batch; the longest go first, so that no thread is left with them at the end.
      const distinct = [...new Set(texts)].toSorted((a, b) => b.length - a.length);
      const place = new Map(distinct.map((text, i) => [text, i]));
      const size = PART[provider];
      const parts = await embedParts(
        Array.from({ length: Math.ceil(distinct.length / size) }, (_, i) => ({
          texts: distinct.slice(i * size, (i + 1) * size),
          task,
          model,
        })),
      );
      const vectors = new Float32Array(texts.length * DIMENSIONS);
      for (const [i, text] of texts.entries()) {
        const at = place.get(text)!;
        const offset = (at % size) * DIMENSIONS;
        vectors.set(parts[Math.floor(at / size)]!.subarray(offset, offset + DIMENSIONS), i * DIMENSIONS);
      }
      return vectors;
    },
    async close(): Promise<void> {
      closed = true;
      for (const job of queue.splice(0).flat()) job.reject(new Error('the embedder was closed'));
      await Promise.all([...pool].map(({ worker }) => worker.terminate()));
    },
  };
};
