import { patched, workflowInfo } from '@temporalio/workflow';

/**
 * True when this execution has so many events, or is so long, that it is to continue as a new one. To be asked where no local activity is
 * under way.
 *
 * Once it is true that stands in the history, and a replay reads it there: what the server says of the length belongs to a task, and in
 * a replay an event may belong to another one. A query that reaches a worker before the task does brings the task's events along, with
 * the length, and the time, of the task before; tasks that only waited for a local activity are one task with the next.
 */
export function isOutgrown(mostEvents: number): boolean {
  const { continueAsNewSuggested, historyLength, unsafe } = workflowInfo();
  return (unsafe.isReplaying || continueAsNewSuggested || historyLength > mostEvents) && patched('outgrown');
}
