import { acceptedOf } from '../../pipelines/ends.ts';
import { endStatuses, type EndStatus, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import type { StepStatus } from '../messages.ts';

export const hasEnd = (status: StepStatus | undefined): status is EndStatus => (endStatuses as readonly unknown[]).includes(status);

/** True where a step starts after such an end of one of its needs. */
export const accepts = (step: PlanStep, need: string, status: EndStatus): boolean => acceptedOf(step, need).includes(status);

/**
 * Steps that may begin although the run has failed: those that accept the failure of a need, and what needs one of these. In the
 * order of the plan each stands behind its needs.
 */
export function reacting({ steps }: Plan): ReadonlySet<string> {
  const found = new Set<string>();
  for (const step of steps) if (step.needs.some((need) => found.has(need) || accepts(step, need, 'failed'))) found.add(step.id);
  return found;
}
