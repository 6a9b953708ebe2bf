import type { RunView } from '../workflows/messages.ts';

/** State of a run by the status of its workflow, where that has ended. */
export const endStates: Readonly<Record<string, RunView['state']>> = {
  COMPLETED: 'done',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  TERMINATED: 'cancelled',
  CANCELLED: 'cancelled',
};
