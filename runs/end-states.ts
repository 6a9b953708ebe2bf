import type { RunView } from '../workflows/messages.ts';

/** States in which nothing of a run changes any more; `forgotten`: nobody saw it end. */
export const overStates: ReadonlySet<RunView['state'] | 'forgotten'> = new Set(['done', 'failed', 'cancelled', 'refused', 'forgotten']);

/** State of a run by the status of its workflow, where that has ended. */
export const endStates: Readonly<Record<string, RunView['state']>> = {
  COMPLETED: 'done',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  TERMINATED: 'cancelled',
  CANCELLED: 'cancelled',
};
