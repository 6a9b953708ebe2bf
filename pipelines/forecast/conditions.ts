import { possibleEnds } from '../ends.ts';
import type { PlanStep } from '../plan.ts';

/** Why a step may do nothing: its own condition, and those of the loops that it stands in. None of a step that every run carries out. */
export function conditionsOf(steps: readonly PlanStep[]): (step: PlanStep) => string[] {
  const ends = possibleEnds(steps);
  const byId = new Map(steps.map((step) => [step.id, step]));
  const own = ({ id, when }: PlanStep, ofWhen: string, ofNeeds: string): string[] => {
    if (!ends.get(id)!.has('skipped')) return [];
    return [when === undefined ? ofNeeds : ofWhen];
  };
  const around = ({ in: of, on }: PlanStep): string[] => {
    if (of === undefined) return [];
    // That a step fails is a condition whatever stands around it.
    if (on !== undefined) return [`where ${of} fails`];
    const loop = byId.get(of)!;
    return [...own(loop, `where the \`when\` of ${of} gives true`, `where the needs of ${of} end as it accepts`), ...around(loop)];
  };
  return (step) => [...own(step, 'where its `when` gives true', 'where its needs end as it accepts'), ...around(step)];
}
