import { inputHash } from '../../pipelines/input-hash.ts';
import { hasEnd } from '../../pipelines/ends.ts';
import { holds, type PlanStep, type Reuse } from '../../pipelines/plan.ts';
import { end } from './ends.ts';
import type { World, State, StepState } from './state.ts';

/**
 * Hashes what a beginning step depends on, and ends it with the result of an earlier run where that depended on the
 * same. A gate is never taken over, nor a loop that holds one: an approval belongs to its run. Nor is a pipeline: its own run takes over
 * what its steps have completed, since it alone knows its files.
 */
export function takeOver(state: State, planned: PlanStep, step: StepState, { plan, run, reuse, now }: World): void {
  step.inputHash = inputHash(planned, step.input ?? null, plan, state.sources ?? {}, run.id);
  const kept = reuse && Object.hasOwn(reuse, planned.id) ? reuse[planned.id] : undefined;
  if (!kept || kept === 'skipped' || holds(plan, planned, 'gate', 'pipeline') || kept.hash !== step.inputHash) return;
  // Data also flows through the service, where no hash sees it: what stands on new work is new work.
  const needs = new Map(plan.steps.map(({ id, kind, needs: of }) => [id, { kind, of }]));
  const taken = (id: string): boolean =>
    needs.get(id)?.kind === 'gate'
      ? needs.get(id)!.of.every(taken)
      : state.steps[id]?.reusedFrom !== undefined || (reuse?.[id] === 'skipped' && state.steps[id]?.status === 'skipped');
  if (!planned.needs.every(taken)) return;
  step.output = kept.output;
  step.reusedFrom = kept.run;
  end(step, 'done', now);
}

/** What the rest of a run can still take over; what was skipped is asked for by the steps that follow it. */
export const stillOpen = (reuse: Reuse, { steps }: State): Reuse =>
  Object.fromEntries(
    Object.entries(reuse).filter(
      ([id, kept]) =>
        kept === 'skipped' || (!hasEnd(steps[id]?.status) && (steps[id]?.inputHash === undefined || steps[id].child !== undefined)),
    ),
  );
