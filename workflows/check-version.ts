import { ApplicationFailure } from '@temporalio/workflow';
import { celVersion } from '../pipelines/expressions/environment.ts';
import type { Plan } from '../pipelines/plan.ts';

/** A plan means what it means under its own interpreter and expression library only. */
export function checkVersion(plan: Partial<Plan> | undefined): void {
  if (plan?.version !== 1)
    throw ApplicationFailure.nonRetryable(
      `this worker runs plans of version 1, not ${String(plan?.version)}: update the worker`,
      'PlanVersion',
    );
  if (plan.cel !== celVersion)
    throw ApplicationFailure.nonRetryable(
      `the plan was made for expressions of ${String(plan.cel)}, this worker has ${celVersion}: start the run again with the worker's version of Portolan, or start a worker of the plan's`,
      'PlanVersion',
    );
}
