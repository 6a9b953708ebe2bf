import type { FormerRun } from '../pipelines/former-run.ts';
import type { Plan } from '../pipelines/plan.ts';
import { createRunStore } from '../store/create-run-store.ts';
import { planFile } from '../store/run-record.ts';

/** An earlier run with the names that its steps have now, and steps of now of which its plan does not show which of its steps they were. */
export type NamedFormer = { former: FormerRun; unclear: readonly string[] };

type Named = { id: string; use: string };

/**
 * What became of the names of steps between two plans. A step that is in both is itself; of the others the only one that has gone is
 * the only one that has come, where both use the same code.
 */
export function renamedSteps(before: readonly Named[], now: readonly Named[]): { renamed: { [step: string]: string }; unclear: string[] } {
  const without = (steps: readonly Named[], others: readonly Named[], use: string): string[] =>
    steps.filter((step) => step.use === use && !others.some((other) => other.id === step.id && other.use === use)).map(({ id }) => id);
  const renamed: { [step: string]: string } = {};
  const unclear: string[] = [];
  for (const use of new Set(now.map((step) => step.use))) {
    const gone = without(before, now, use);
    const come = without(now, before, use);
    if (gone.length === 1 && come.length === 1) renamed[come[0]!] = gone[0]!;
    else if (gone.length > 0) unclear.push(...come);
  }
  return { renamed, unclear };
}

/** Earlier runs with the names of their steps in a new plan. A run without a plan of its own has the same names. */
export const formerNames = (runs: readonly FormerRun[], plan: Plan): Promise<NamedFormer[]> =>
  Promise.all(
    runs.map(async ({ run, store, undone, rowsUndone }) => {
      const before = await createRunStore(store).readJson<Plan>(planFile);
      const { renamed, unclear } = renamedSteps(before?.steps ?? plan.steps, plan.steps);
      const former = {
        run,
        store,
        ...(Object.keys(renamed).length > 0 && { renamed }),
        ...(undone && undone.length > 0 && { undone }),
        ...(rowsUndone && { rowsUndone }),
      };
      return { former, unclear };
    }),
  );
