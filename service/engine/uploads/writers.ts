import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export type WriterRequest =
  | { id: number; kind: 'open'; path: string; flags: 'r+' | 'wx'; offset: number }
  | { id: number; kind: 'write'; chunks: Uint8Array[] }
  | { id: number; kind: 'close' };
export type WriterAnswer =
  | { id: number; kind: 'written'; bytes: number }
  | { id: number; kind: 'closed'; size: number; md5: string }
  | { id: number; kind: 'failed'; message: string };

export type Written = { size: number; md5: string };

/** A file that takes chunks in their order. */
export type Sink = {
  /** Settles when few enough bytes wait; the chunks are the writer's from here on. */
  write(chunks: Uint8Array[], bytes: number): Promise<void>;
  /** Settles when all is in the system's hands and the file is closed. */
  close(): Promise<Written>;
};

export type Writers = {
  open(path: string, flags: 'r+' | 'wx', offset: number): Sink;
  close(): Promise<void>;
};

/** Bytes that wait for the disk before the sender is held back. */
const MAX_WAITING = 4 * 1_024 * 1_024;

type Job = { answer(reply: WriterAnswer): void };
type Thread = { worker: Worker; jobs: Map<number, Job> };

const entry = new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url);

/** Only buffers of their own are handed over; a piece of a larger one is copied. */
const own = (chunk: Uint8Array): Uint8Array<ArrayBuffer> =>
  chunk.byteLength === chunk.buffer.byteLength ? (chunk as Uint8Array<ArrayBuffer>) : new Uint8Array(chunk);

/** Threads that write and hash parts, so that the thread that reads them from the network does nothing else. Started when there is work. */
export const createWriters = (count = Math.min(2, availableParallelism())): Writers => {
  const threads: Thread[] = [];
  let opened = 0;

  const start = (): Thread => {
    const worker = new Worker(entry, { execArgv: ['--disable-warning=ExperimentalWarning'] });
    const thread: Thread = { worker, jobs: new Map() };
    const end = (message: string): void => {
      if (threads.includes(thread)) threads.splice(threads.indexOf(thread), 1);
      for (const [id, job] of thread.jobs) job.answer({ id, kind: 'failed', message });
      thread.jobs.clear();
    };
    worker.on('message', (reply: WriterAnswer) => thread.jobs.get(reply.id)?.answer(reply));
    worker.on('error', (error: unknown) => end(String(error)));
    worker.on('exit', () => end('the thread that writes parts ended'));
    // Requests under way keep the process; a thread without any does not.
    worker.unref();
    threads.push(thread);
    return thread;
  };

  return {
    open(path, flags, offset) {
      opened += 1;
      const id = opened;
      const thread = threads.length < count ? start() : threads[id % threads.length]!;
      const send = (request: WriterRequest, transfer: ArrayBuffer[] = []): void => thread.worker.postMessage(request, transfer);
      let sent = 0;
      let written = 0;
      let room = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<Written>();
      closed.promise.catch(() => undefined);
      thread.jobs.set(id, {
        answer(reply) {
          if (reply.kind === 'written') {
            written = reply.bytes;
            room.resolve();
            return;
          }
          thread.jobs.delete(id);
          if (reply.kind === 'closed') closed.resolve(reply);
          else closed.reject(new Error(`a part could not be written: ${reply.message}`));
        },
      });
      send({ id, kind: 'open', path, flags, offset });
      return {
        async write(chunks, bytes) {
          const owned = chunks.map(own);
          send(
            { id, kind: 'write', chunks: owned },
            owned.map(({ buffer }) => buffer),
          );
          sent += bytes;
          while (sent - written > MAX_WAITING) {
            // Only a failure settles `closed` before it was asked for.
            await Promise.race([room.promise, closed.promise]);
            room = Promise.withResolvers<void>();
          }
        },
        close() {
          send({ id, kind: 'close' });
          return closed.promise;
        },
      };
    },
    async close() {
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
};
