import { mustBeDone } from '../ends.ts';
import type { Plan, PlanStep } from '../plan.ts';
import type { Step } from '../step.ts';

/**
 * Does a run come to this step whatever happens, and find the world as it was before the run? Only then what would fail now is a mistake:
 * a step that may be skipped or whose failure is tolerated ends no run, and what a person or another step does before may set it right.
 */
export function isCertain(step: PlanStep, { steps: planned }: Pick<Plan, 'steps'>, steps: Readonly<Record<string, Step>>): boolean {
  if (step.in !== undefined || !mustBeDone(step.id, planned)) return false;
  const after = new Set([step.id]);
  for (const { id, needs } of planned) if (needs.some((need) => after.has(need))) after.add(id);
  return planned.every((each) => after.has(each.id) || changesNothing(each, steps));
}

/** What has steps inside is as these are. */
const changesNothing = ({ use, each, kind }: PlanStep, steps: Readonly<Record<string, Step>>): boolean =>
  each !== undefined || (kind !== 'gate' && steps[use]?.effect === 'safe');
