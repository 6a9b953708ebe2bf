import { celVersion } from '../../pipelines/expressions/environment.ts';
import type { Plan, PlanStep, RunRef } from '../../pipelines/plan.ts';

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

/** A plan of these steps and nothing else. */
export const barePlan = (steps: PlanStep[], more: Partial<Plan> = {}): Plan => ({
  version: 1,
  pipeline: 'p',
  hash: 'h',
  cel: celVersion,
  params: {},
  steps,
  outputs: {},
  sources: [],
  concurrency: null,
  ...more,
});

/** The run of such a plan: it has no folder. */
export const bareRun: RunRef = { id: 'r1', pipeline: 'p', store: 'file:///nowhere', baseDir: '/', host: 'here' };
