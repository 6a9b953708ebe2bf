import type { PlanStep } from '../../pipelines/plan.ts';

/** A step of a plan, for the interpreter alone: nothing carries it out. */
export const planStep = (id: string, kind: PlanStep['kind'], more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  kind,
  needs: [],
  use: `x.${id}`,
  with: {},
  connections: {},
  timeouts: { attemptMs: 1, deadlineMs: 1, pollMs: 60_000 },
  ...more,
});
