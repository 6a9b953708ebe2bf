import { ApplicationFailure } from '@temporalio/common';
import { ExpressionError } from '../../pipelines/expressions/error.ts';

/** Characters of a message: it may quote a value that stands in the run store because it is large. */
const mostLength = 1_500;

/** What works with what expressions gave: where they gave something else the activity fails once, by the type that the workflow knows. */
export function expressed<T>(work: () => T, field?: string): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const message = field === undefined ? error.message : `${field}: ${error.message}`;
    throw ApplicationFailure.nonRetryable(message.slice(0, mostLength), error.type);
  }
}
