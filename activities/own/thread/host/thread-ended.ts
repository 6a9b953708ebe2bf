/** So often one step or item may end its thread before that is its failure. */
export const mostEnds = 3;

/** The thread of a user's code has ended under it: by `process.exit`, an error that nothing caught, want of memory, or because it was stuck. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
  /** Another call of the same thread may have been the cause. */
  retryable = true;

  /** Calls that its code had begun and not ended. */
  underWay = 0;

  /** Its memory was full. */
  readonly hungry: boolean;

  /** `stack`: where its code was. */
  constructor(why: string, { stack, hungry = false }: { stack?: string | undefined; hungry?: boolean } = {}) {
    super(`the thread of the step ended: ${why}`);
    this.hungry = hungry;
    if (stack !== undefined) this.stack = `${this.name}: ${this.message}\n${stack}`;
  }

  /** For what nothing in the thread caught. */
  static of(thrown: unknown, heapMb: number): ThreadEnded {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') return memoryFull(heapMb);
    return new ThreadEnded(`nothing caught ${error.name}: ${error.message}`, { stack: error.stack });
  }
}

/** A thread that needed more memory than it may have. `stack`: where its code was then. */
export const memoryFull = (heapMb: number, stack?: string): ThreadEnded =>
  new ThreadEnded(`its code needs more than ${heapMb} MiB of memory; let it hold less at a time`, { stack, hungry: true });
