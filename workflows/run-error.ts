import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
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

/**
 * True of a command that was given up: it was cancelled; or its attempt failed, or its worker ended, before it knew of that, and the server
 * tries nothing again that is to be cancelled. What no attempt would mend is a failure all the same.
 */
export const isGivenUp = (error: unknown): boolean =>
  isCancellation(error) ||
  (error instanceof ActivityFailure &&
    error.retryState === 'CANCEL_REQUESTED' &&
    !(error.cause instanceof ApplicationFailure && error.cause.nonRetryable));
