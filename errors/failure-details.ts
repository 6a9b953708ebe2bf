import type { Resource } from './classes.ts';

/** What a failure says beside its message, as Temporal keeps it; small, because the server takes 4 KiB of it. */
export type FailureDetails = {
  operation?: string;
  requestId?: string;
  status?: number;
  /** Limit class that refused the call. */
  limit?: string;
  waitMs?: number;
  /** The service named no time to wait. */
  asked?: false;
  /** What the worker's host is short of. */
  resource?: Resource;
  remedy?: string;
  /** The run that was first to continue the same run. */
  continuedBy?: string;
  /** The step whose act nobody approved, as `--accept` names it, and its run: a run above it has no such step. */
  unapproved?: { run: string; step: string };
  /** Where in the code of an own step it happened: file, line and column, the innermost first. */
  at?: string[];
};
