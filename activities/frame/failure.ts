import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { ApiError, ContractError, NetworkError } from '../../client/errors.ts';
import { isWait } from '../../client/wait.ts';
import { Continued, DamagedFile, NeedsApproval, NotFetched, type Unavailable } from '../../errors/classes.ts';
import type { FailureDetails } from '../../errors/failure-details.ts';
import { meaningOf, remedyOfStatus } from '../../errors/meanings.ts';
import { shortageOf } from '../../errors/system.ts';

/** Never shorter: the server ends an activity at once on a delay of 0. */
const floorMs = 1_000;

/** What the code of a step asks for may be no time at all. */
const longestMs = 30 * 86_400_000;

/** A text that was cut in the middle of a character would end the worker, and each one after it: no UTF-8 has half a character. */
const failed = (options: { message: string } & Parameters<typeof ApplicationFailure.create>[0]): ApplicationFailure =>
  ApplicationFailure.create({ ...options, message: options.message.toWellFormed() });

/** Until the next look whether what the step waits for has come back: each is a line of the run's events, so they grow rare. */
const unavailableMs = (attempt: number): number => Math.min(30_000, Math.round(1_000 * 1.5 ** Math.min(attempt, 10)));

/**
 * Maps any error of a step to Temporal's terms. A wait is retried when it is over and does not count as a failure;
 * what may succeed later is retried with back-off; everything else fails once. A shortage of this host is looked for in every
 * error: it may come from any library that writes a file. `attempt`: which one failed.
 */
export function toFailure(error: unknown, { waits = true, attempt = 1 } = {}): ApplicationFailure {
  if (error instanceof ApplicationFailure) return Object.assign(error, { message: error.message.toWellFormed() });
  if (isWait(error)) {
    return failed({
      type: 'RateLimited',
      message: error.message,
      nextRetryDelay: Math.min(longestMs, Math.max(floorMs, Math.ceil(error.waitMs) + 20)),
      category: ApplicationFailureCategory.BENIGN,
      details: [details(error)],
    });
  }
  const known = (waits ? shortageOf(error) : undefined) ?? (error instanceof Error ? error : new Error(String(error)));
  const meaning = meaningOf(known.name);
  if (waits && meaning?.becomes === 'waits') {
    return failed({
      type: known.name,
      message: message(known),
      nextRetryDelay: unavailableMs(attempt),
      category: ApplicationFailureCategory.BENIGN,
      details: [{ resource: (known as Unavailable).resource, remedy: meaning.remedy } satisfies FailureDetails],
    });
  }
  const retryable = 'retryable' in known && known.retryable === true;
  // The cause is left out on purpose: it would carry headers and stacks of other libraries into the history.
  return failed({ type: known.name, message: message(known), nonRetryable: !retryable, details: [details(known)] });
}

const message = (error: Error): string => {
  if (error.name === 'ZodError')
    return `a step's input or output does not fit its schema: ${error.message.replace(/\s+/g, ' ').slice(0, 500)}`;
  return error.message.slice(0, 1_500);
};

const details = (error: Error): FailureDetails => ({
  ...factsOf(error),
  ...(error instanceof Continued && { continuedBy: error.continuedBy }),
  ...(error instanceof NeedsApproval && { unapproved: error.unapproved }),
  ...('at' in error ? { at: error.at as FailureDetails['at'] } : {}),
});

function factsOf(error: Error): FailureDetails {
  if (error instanceof ApiError) {
    const remedy = error.remedy ?? remedyOfStatus(error.status);
    return { operation: error.operation, requestId: error.requestId, status: error.status, ...(remedy ? { remedy } : {}) };
  }
  if (isWait(error)) {
    const { operation, requestId, limit, waitMs, status, asked } = error;
    return {
      waitMs,
      ...(operation && { operation }),
      ...(requestId && { requestId }),
      ...(limit && { limit }),
      ...(status && { status }),
      ...(asked === false && { asked }),
    };
  }
  if (error instanceof NetworkError)
    return { operation: error.operation, requestId: error.requestId, remedy: 'is the service up? portolan doctor shows it' };
  const hasOwn = error instanceof ContractError || error instanceof NotFetched || error instanceof DamagedFile;
  const remedy = (hasOwn ? error.remedy : undefined) ?? meaningOf(error.name)?.remedy;
  return remedy === undefined ? {} : { remedy };
}

/** "Not ready yet": retried by the server after `ms` without an event in the history and without holding a slot. */
export const notYet = (ms: number, note: string): ApplicationFailure =>
  failed({
    type: 'NotYet',
    message: note,
    nextRetryDelay: Math.min(longestMs, Math.max(250, ms || 0)),
    category: ApplicationFailureCategory.BENIGN,
  });
