import { ApiError } from '../../client/errors.ts';

/**
 * May a service have refused an addition because what it names is there? The text gives such a refusal no status: rows of a known
 * id (assumption `known-ids`), an index of a known name (assumption `same-index-name`).
 */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && !error.retryable && [400, 409, 422].includes(error.status);
