import { proxySinks, workflowInfo } from '@temporalio/workflow';
import { lockedKey } from '../pipelines/lock.ts';
import type { Plan } from '../pipelines/plan.ts';
import type { RunSinks } from './messages.ts';

const { lock: sink } = proxySinks<RunSinks>();

/**
 * Has the worker give the key of a run back that is over. A sink and no signal of the workflow, for which the end of the run would
 * wait; where it is lost, the lock sees by itself that the run has ended.
 */
export function releaseLock({ concurrency }: Pick<Plan, 'concurrency'>): void {
  if (concurrency) sink.release(lockedKey(concurrency), workflowInfo().firstExecutionRunId);
}
