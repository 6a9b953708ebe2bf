import { celVersion } from '../pipelines/expressions/environment.ts';
import type { Plan } from '../pipelines/plan.ts';
import type { RunError } from './messages.ts';

/** Why this worker does not carry a plan out: it means what it means under its own interpreter and expression library only. */
export function wrongVersion(plan: Partial<Plan> | undefined): RunError | undefined {
  const type = 'PlanVersion';
  if (plan?.version !== 1) return { type, message: `this worker runs plans of version 1, not ${String(plan?.version)}: update the worker` };
  if (plan.cel === celVersion) return undefined;
  return {
    type,
    message: `the plan was made for expressions of ${String(plan.cel)}, this worker has ${celVersion}: start the run again with the worker's version of Portolan, or start a worker of the plan's`,
  };
}
