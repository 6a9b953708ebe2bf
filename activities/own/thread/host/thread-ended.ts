/** So often one step or item may end its thread before that is its failure. */
export const mostEnds = 3;

/** The thread of a user's code has ended under it: by `process.exit`, an error that nothing caught, want of memory, or because it was stuck. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
  /** Another call of the same thread may have been the cause. */
  retryable = true;

  /** Calls that its code had begun and not ended. */
  underWay = 0;

  constructor(why: string, stack?: string) {
    super(`the thread of the step ended: ${why}`);
    if (stack !== undefined) this.stack = `${this.name}: ${this.message}\n${stack}`;
  }

  /** For what nothing in the thread caught. */
  static of(thrown: unknown, heapMb: number): ThreadEnded {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      return new ThreadEnded(`its code needs more than ${heapMb} MiB of memory; let it hold less at a time`);
    return new ThreadEnded(`nothing caught ${error.name}: ${error.message}`, error.stack);
  }
}
