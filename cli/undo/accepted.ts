import { irreversible } from '../../pipelines/forecast/undo.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { Step } from '../../pipelines/step.ts';
import { UsageError } from '../frame/errors.ts';

/** Refuses steps that do what cannot be taken back and that nobody has approved, and approvals of steps that are not there. */
export function checkAccepted(plan: Plan, steps: Readonly<Record<string, Step>>, accept: readonly string[]): void {
  const unknown = accept.find((id) => !plan.steps.some((step) => step.id === id));
  if (unknown !== undefined)
    throw new UsageError(`--accept: the undo has no step '${unknown}'`, `its steps: ${plan.steps.map(({ id }) => id).join(', ')}`);
  const bare = plan.steps.flatMap((step) => (step.approved ? [] : irreversible(step, steps).map((says) => ({ id: step.id, says }))));
  if (bare.length > 0)
    throw new UsageError(
      `this cannot be taken back, and nobody has approved it: ${bare.map(({ id, says }) => `${id}: ${says}`).join('; ')}`,
      [...new Set(bare.map(({ id }) => `--accept ${id}`))].join(' '),
    );
}
