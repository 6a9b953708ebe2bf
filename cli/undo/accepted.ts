import { irreversible } from '../../pipelines/forecast/undo.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { Step } from '../../pipelines/step.ts';
import type { StandsOn } from '../../runs/standing-on.ts';
import { UsageError } from '../frame/errors.ts';

/** What is asked of whoever undoes a run: the steps of that, and the runs that stand on what it did. */
export type Asked = { of: string; plan: Plan; stands: readonly StandsOn[] };

/**
 * Refuses steps that do what cannot be taken back, and runs that stand on what is taken back, where nobody has approved it; and approvals of
 * what is not there.
 */
export function checkAccepted({ of, plan, stands }: Asked, steps: Readonly<Record<string, Step>>, accept: readonly string[]): void {
  const unknown = accept.find((id) => !plan.steps.some((step) => step.id === id) && !stands.some(({ run }) => run === id));
  if (unknown !== undefined)
    throw new UsageError(`--accept: the undo has no step '${unknown}'`, `its steps: ${plan.steps.map(({ id }) => id).join(', ')}`);
  const left = stands.filter(({ run }) => !accept.includes(run));
  if (left.length > 0)
    throw new UsageError(
      left
        .map(({ run, state, steps: taken }) => `run ${run} (${state}) took over ${taken.join(', ')} of run ${of}, and stands on it`)
        .join('\n'),
      left
        .map(({ run }) => `portolan undo ${run}, then again; where nothing of it can be undone, or it may stay as it is: --accept ${run}`)
        .join('\n'),
    );
  const bare = plan.steps.flatMap((step) => (step.approved ? [] : irreversible(step, steps).map((says) => ({ id: step.id, says }))));
  if (bare.length > 0)
    throw new UsageError(
      `this cannot be taken back, and nobody has approved it: ${bare.map(({ id, says }) => `${id}: ${says}`).join('; ')}`,
      [...new Set(bare.map(({ id }) => `--accept ${id}`))].join(' '),
    );
}
