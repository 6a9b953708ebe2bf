import type { ApplicationFailure } from '@temporalio/common';
import { isWait } from '../../client/wait.ts';
import type { Counts } from '../../pipelines/phases.ts';
import type { ActivityInput } from '../../pipelines/plan.ts';
import type { Step } from '../../pipelines/step.ts';
import type { RunEvent } from '../../store/run-store.ts';
import type { FailureDetails } from '../../errors/failure-details.ts';

type NewEvent = Omit<RunEvent, 'at'>;

/** Why an attempt ended, for the report: a wait, or a failure. Undefined where it ended to look again later. */
export function failureEvent({ step: { id: step } }: ActivityInput, error: unknown, failure: ApplicationFailure): NewEvent | undefined {
  if (isWait(error)) {
    const { message, waitMs, operation, limit, requestId } = error;
    return {
      step,
      kind: 'wait',
      cause: message,
      ms: Math.round(waitMs),
      ...(operation && { operation }),
      ...(limit && { limit }),
      ...(error.sent && requestId ? { request_id: requestId } : {}),
    };
  }
  if (failure.type === 'NotYet') return undefined;
  const { resource = '', requestId, operation } = (failure.details?.[0] ?? {}) as FailureDetails;
  if (failure.type === 'Unavailable')
    return { step, kind: 'wait', cause: failure.message, ms: Number(failure.nextRetryDelay ?? 0), limit: `worker/${resource}` };
  return {
    step,
    kind: failure.nonRetryable ? 'failure' : 'retry',
    cause: `${failure.type}: ${failure.message}`,
    ...(operation ? { operation } : {}),
    ...(requestId ? { request_id: requestId } : {}),
  };
}

/** A chunk that is done: what the report's rates and plots are drawn from. */
export const chunkEvent = ({ step, chunk }: ActivityInput, counts: Counts, ms: number, attempt: number): NewEvent => ({
  step: step.id,
  kind: 'chunk',
  cause: `attempt ${attempt}`,
  chunk: chunk!,
  items: counts['done'] ?? 0,
  ...(counts['bytes'] === undefined ? {} : { bytes: counts['bytes'] }),
  ms,
  attempt,
});

/** The worker's code of a step is not the one that the plan names: `rerun` does not reuse what it has done. */
export const otherCode = ({ step: { id, use, version } }: ActivityInput, step: Step): NewEvent => ({
  step: id,
  kind: 'code',
  cause: `the worker's ${use} is version ${String(step.version ?? 1)}, the plan names ${String(version ?? 1)}`,
});
