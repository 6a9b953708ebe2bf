import { extname } from 'node:path';
import { isMainThread, Worker } from 'node:worker_threads';

/** The code of a file was still at work when its time was over. */
export class NoEnd extends Error {
  override readonly name = 'NoEnd';
  /** `stack`: where it was, of code that let nothing else run. */
  constructor(ms: number, stack: string | undefined) {
    const what = stack === undefined ? 'an `await` at its top' : 'the code at its top';
    super(`${what} has not ended after ${ms / 1_000} s`);
    if (stack !== undefined) this.stack = `${this.name}: ${this.message}\n${stack}`;
  }
}

/** What the thread beside the loading one is given: `stopping` is not 0 once it has set about stopping the code. */
export type LoadWatch = { ms: number; stopping: Int32Array };

/** What it says: that the time is over, and, once it knows whether anything else is let run, where the code was. */
export type LoadReport = 'late' | { stack: string | undefined };

/** Loads a file of a user's. Fails with `NoEnd` where that takes longer, also where its code lets nothing else run. */
export async function loadedIn<T>(ms: number, load: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stopping = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const thread = isMainThread ? watch({ ms, stopping }, reject) : undefined;
  // Node ends in silence, as if all were done, when nothing is left that a module's `await` could wait for.
  const drained = (): void => {
    if (Atomics.load(stopping, 0) === 0) reject(new Error('an `await` at its top waits for something that never comes'));
    else thread?.ref();
  };
  process.once('beforeExit', drained);
  try {
    return await Promise.race([load(), promise]);
  } finally {
    process.off('beforeExit', drained);
    void thread?.terminate();
  }
}

/** A thread that looks on: whoever loads cannot, in code that lets nothing else run. Other threads are watched by those who start them. */
function watch(given: LoadWatch, reject: (error: NoEnd) => void): Worker {
  const entry = new URL(`./load-watch${extname(import.meta.url)}`, import.meta.url);
  // What the process was started with may be for its own entry alone: a thread refuses `--input-type`.
  const thread = new Worker(entry, { workerData: given, execArgv: [] });
  thread.on('message', (report: LoadReport) => {
    if (report === 'late') thread.postMessage('here');
    else reject(new NoEnd(given.ms, report.stack));
  });
  // Where no thread can be started the file is loaded all the same.
  thread.on('error', () => undefined);
  // Last: a listener makes the process wait for the thread again.
  thread.unref();
  return thread;
}
