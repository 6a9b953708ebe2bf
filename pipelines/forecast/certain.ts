import { mustBeDone } from '../ends.ts';
import type { Plan, PlanStep } from '../plan.ts';
import type { Step } from '../step.ts';

/**
 * Does a run come to this step whatever happens, and find the world as it was before the run? Only then what would fail now is a mistake:
 * a step that may be skipped or whose failure is tolerated ends no run, and what a person or another step does before may set it right.
 */
export function isCertain(step: PlanStep, plan: Pick<Plan, 'steps'>, steps: Readonly<Record<string, Step>>): boolean {
  if (step.in !== undefined || !mustBeDone(step.id, plan.steps)) return false;
  return notAfter(step, plan).every((each) => changesNothing(each, steps));
}

/** Steps that may be done before a step, or beside it. */
export function notAfter(step: PlanStep, { steps: planned }: Pick<Plan, 'steps'>): PlanStep[] {
  const after = new Set([step.id]);
  for (const { id, needs } of planned) if (needs.some((need) => after.has(need))) after.add(id);
  return planned.filter(({ id }) => !after.has(id));
}

/** What has steps inside is as these are. */
const changesNothing = ({ use, each, kind }: PlanStep, steps: Readonly<Record<string, Step>>): boolean =>
  each !== undefined || (kind !== 'gate' && steps[use]?.effect === 'safe');
