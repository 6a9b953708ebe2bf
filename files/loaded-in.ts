import { extname } from 'node:path';
import { isMainThread, Worker } from 'node:worker_threads';
import { guardExit } from './guard-exit.ts';

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

/** Longest time for the code of a file of a user's until it is loaded. */
export const mostLoadMs = 30_000;

/** What is not 0 of a load: that it is over; that the thread beside it has set about stopping its code. */
export const load = { over: 0, stopping: 1 } as const;

/** What the thread beside the loading one is given of each load; `state`: places of `load`. */
export type LoadWatch = { id: number; ms: number; state: Int32Array };

/** What it says: where the code of a load was that let nothing else run. */
export type LoadReport = { id: number; stack: string };

/**
 * Loads a file of a user's. Fails with `NoEnd` where that takes longer, also where its code lets nothing else run; what calls
 * `process.exit` fails. In a thread that ends the thread alone, which whoever started it sees.
 */
export async function loadedIn<T>(work: () => Promise<T>, ms: number = mostLoadMs): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const state = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const id = ++last;
  const watcher = isMainThread ? watch({ id, ms, state }, (stack) => reject(new NoEnd(ms, stack))) : undefined;
  const late = (): void => {
    // Where it was stopped, the thread says in which line.
    if (Atomics.load(state, load.stopping) === 0) reject(new NoEnd(ms, undefined));
  };
  const timer = isMainThread ? setTimeout(late, ms).unref() : undefined;
  // Node ends in silence, as if all were done, when nothing is left that a module's `await` could wait for.
  const drained = (): void => {
    if (Atomics.load(state, load.stopping) === 0) reject(new Error('an `await` at its top waits for something that never comes'));
    else watcher?.ref();
  };
  process.once('beforeExit', drained);
  const unguard = isMainThread ? guardExit() : undefined;
  try {
    return await Promise.race([work(), promise]);
  } finally {
    Atomics.store(state, load.over, 1);
    unguard?.();
    process.off('beforeExit', drained);
    clearTimeout(timer);
    underWay.delete(id);
    if (underWay.size === 0) rest = setTimeout(endWatcher, idleMs).unref();
  }
}

/** The next file of a project is loaded within this time: one thread looks on for all of them. */
const idleMs = 1_000;

let last = 0;
let thread: Worker | undefined;
let rest: NodeJS.Timeout | undefined;

/** Who is to hear where the code of a load was, by the number of the load. */
const underWay = new Map<number, (stack: string) => void>();

/** Has a thread look on: whoever loads cannot, in code that lets nothing else run. Other threads are watched by those who start them. */
function watch(given: LoadWatch, stopped: (stack: string) => void): Worker | undefined {
  clearTimeout(rest);
  underWay.set(given.id, stopped);
  thread ??= startWatcher();
  thread?.postMessage(given);
  return thread;
}

/** Where no thread can be started, as under Node's `--permission`, files are loaded all the same. */
function startWatcher(): Worker | undefined {
  let started: Worker;
  try {
    // What the process was started with may be for its own entry alone: a thread refuses `--input-type`.
    started = new Worker(new URL(`./load-watch${extname(import.meta.url)}`, import.meta.url), { execArgv: [] });
  } catch {
    return undefined;
  }
  started.on('message', ({ id, stack }: LoadReport) => underWay.get(id)?.(stack));
  started.on('error', () => undefined);
  started.on('exit', () => {
    if (thread === started) thread = undefined;
  });
  // Last: a listener makes the process wait for the thread again.
  started.unref();
  return started;
}

function endWatcher(): void {
  void thread?.terminate();
  thread = undefined;
}
