import { isRepeatable } from '../contracts/endpoint.ts';
import type { Plan, PlanStep } from '../pipelines/plan.ts';
import { definition as agentRun } from '../pipelines/steps/agent/run.ts';
import { rowActs } from '../pipelines/row-effects.ts';
import type { Step } from '../pipelines/step.ts';
import { rowsLoop } from '../pipelines/steps/rows-loop.ts';

/** Has a plan, or one of the pipelines that are steps of it, a step that only the records of earlier runs keep from being done twice? */
export const actsOnce = (plan: Plan, steps: Readonly<Record<string, Step>>): boolean =>
  [plan.steps, ...Object.values(plan.pipelines ?? {}).map((sub) => sub.plan.steps)].some((planned) =>
    planned.some((step) => acts(step, planned, steps)),
  );

const acts = ({ id, use }: PlanStep, planned: readonly PlanStep[], steps: Readonly<Record<string, Step>>): boolean =>
  use === rowsLoop.name
    ? rowActs(
        planned.filter((inner) => inner.in === id),
        steps,
      )
    : use === agentRun.name || (!!steps[use]?.own && !isRepeatable(steps[use]));
