import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { operations } from '../../../../contracts/index.ts';
import { createChannel, type Channel } from '../channel.ts';
import { createErrorCodec } from '../error-codec.ts';
import { mostCalls, type ThreadMethods, type ThreadSettings, type WorkerMethods } from '../protocol.ts';
import { createDoors, type Doors } from './doors.ts';
import { stackOf, watchMemory } from './debugger.ts';
import { memoryFull, ThreadEnded } from './thread-ended.ts';

/** A thread with a user's file, as the worker sees it. */
export type Thread = {
  readonly file: string;
  readonly alive: boolean;
  readonly channel: Channel<ThreadMethods>;
  /** Loads the file, once. Fails with what its code threw. */
  load(): Promise<void>;
  /** Lets the code of a call use these; `signal` ends what it asks for. Returns the call's scope, which no later call of the thread has. */
  open(doors: Doors & { signal: AbortSignal }): number;
  /** The call is over: nothing more is done for it, and what it has not read to the end is ended. */
  close(scope: number): void;
  /** A free place for a call. */
  takeCell(): number;
  freeCell(cell: number): void;
  /** When its code began, in nanoseconds of `process.hrtime`; undefined before. */
  begunAt(cell: number): bigint | undefined;
  /** While a call runs the thread keeps the process alive; between calls it does not. */
  hold(held: boolean): void;
  /** Ends it, whatever its code does; calls under way fail with this. */
  end(reason: ThreadEnded): void;
  /** Ends it because its code lets nothing else run; where that is stands in the stack. */
  endStuck(): Promise<void>;
  /** Called once, when it has ended or is ended. */
  onEnd: ((reason: ThreadEnded) => void) | undefined;
};

const own = fileURLToPath(import.meta.url);
const entry = new URL(`../inside/main${extname(own)}`, import.meta.url);

export type ThreadLimits = {
  /** The most memory that its values may take, in MiB. */
  heapMb: number;
  /** Where its code is when the memory is full is looked for: dearer, and only worth it where that has happened before. */
  watched: boolean;
};

/** Starts a thread for a file of own steps. */
export function startThread(file: string, { heapMb, watched }: ThreadLimits): Thread {
  const begun = new BigInt64Array(new SharedArrayBuffer(mostCalls * BigInt64Array.BYTES_PER_ELEMENT));
  const free = Array.from({ length: mostCalls }, (_, cell) => cell);
  const taken = new Set<number>();
  const doors = new Map<number, Doors & { signal: AbortSignal }>();
  let lastScope = 0;
  const worker = new Worker(entry, {
    name: file,
    workerData: { file, operations: Object.keys(operations), begun } satisfies ThreadSettings,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  let alive = true;
  const over = (reason: ThreadEnded): void => {
    if (!alive) return;
    alive = false;
    reason.underWay = [...taken].filter((cell) => self.begunAt(cell) !== undefined).length;
    channel.close(reason);
    self.onEnd?.(reason);
  };
  let exitStack: string | undefined;
  worker.on('error', (error) => over(ThreadEnded.of(error, heapMb)));
  worker.on('exit', (code) => over(new ThreadEnded(`its code called process.exit(${code})`, { stack: exitStack })));
  const watch = watched ? watchMemory(worker, (stack) => self.end(memoryFull(heapMb, stack))) : undefined;
  // Not before the thread is gone: without its debugger a full memory ends the whole process.
  worker.on('exit', () => void watch?.end());
  const errors = createErrorCodec({ stacks: 'sender' });
  const channel: Channel<ThreadMethods> = createChannel<ThreadMethods, WorkerMethods>(
    worker,
    {
      ...createDoors({ of: (scope) => doors.get(scope), channel: () => channel }),
      exits: async ({ stack }) => {
        exitStack = stack;
        return null;
      },
    },
    errors,
    { gather: true },
  );
  let loading: Promise<null> | undefined;
  const self: Thread = {
    file,
    get alive() {
      return alive;
    },
    channel,
    load: async () => void (await (loading ??= channel.request('load', null))),
    open(given) {
      doors.set(++lastScope, given);
      return lastScope;
    },
    close(scope) {
      doors.delete(scope);
      channel.endOf(scope);
    },
    takeCell() {
      const cell = free.pop();
      if (cell === undefined) throw new Error(`more than ${mostCalls} calls at a time in one thread`);
      Atomics.store(begun, cell, 0n);
      taken.add(cell);
      return cell;
    },
    freeCell(cell) {
      taken.delete(cell);
      free.push(cell);
    },
    begunAt: (cell) => Atomics.load(begun, cell) || undefined,
    hold: (held) => (held ? worker.ref() : worker.unref()),
    end(reason) {
      over(reason);
      void worker.terminate();
    },
    async endStuck() {
      const stack = await stackOf(worker);
      self.end(new ThreadEnded('its code let nothing else run, past its time', { stack }));
    },
    onEnd: undefined,
  };
  return self;
}
