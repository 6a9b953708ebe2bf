import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { RunError } from './messages.ts';

/** The root cause of a failed command, small enough for a history. */
export function runError(error: unknown): RunError {
  const cause = error instanceof ActivityFailure ? (error.cause ?? error) : error;
  if (cause instanceof ApplicationFailure) {
    const [details] = (cause.details ?? []) as [RunError['details']?];
    return { type: cause.type ?? 'Error', message: cause.message, ...(details ? { details } : {}) };
  }
  return { type: cause instanceof Error ? cause.name : 'Error', message: cause instanceof Error ? cause.message : String(cause) };
}
