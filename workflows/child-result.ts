import { ApplicationFailure, CancelledFailure } from '@temporalio/workflow';
import type { Json } from '../text/json.ts';
import type { ChildReport } from './messages.ts';

/** What a run gave. Fails as it did, with the class of its error, so that what the file does about a failure holds for it. */
export function resultOf({ run, state, outputs = {}, error }: ChildReport, given: boolean, late: boolean): { [name: string]: Json } {
  if (state === 'done') return outputs;
  if (given) throw new CancelledFailure(`run ${run} was cancelled`);
  const { type, message, details, step } = late
    ? { type: 'TimedOut', message: 'it took longer than the step may', details: undefined, step: undefined }
    : (error ?? { type: 'Cancelled', message: 'somebody cancelled it', details: undefined, step: undefined });
  throw ApplicationFailure.create({
    nonRetryable: true,
    type,
    message: `run ${run}${step === undefined ? '' : `, step ${step}`}: ${message}`,
    ...(details && { details: [details] }),
  });
}
