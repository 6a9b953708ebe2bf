import type { Plan } from '../plan.ts';
import type { DatasetFacts, Step } from '../step.ts';
import { hasExpression } from '../expressions/scan.ts';

/**
 * The dataset of each step, as far as one was looked at: the one that it names by its slug or by its id, else that of all steps that
 * it needs. Of two it is not known which one is meant.
 */
export function datasetsOf(
  plan: Plan,
  steps: Readonly<Record<string, Step>>,
  named: ReadonlyMap<string, DatasetFacts>,
): ReadonlyMap<string, DatasetFacts> {
  const found = new Map<string, DatasetFacts>();
  for (const { id, use, with: input, needs } of plan.steps) {
    const field = steps[use]?.dataset?.field;
    const given = field === undefined ? undefined : (input as Readonly<Record<string, unknown>>)[field];
    const byId = typeof given === 'string' && !hasExpression(given) ? given.toLowerCase() : undefined;
    const slug = steps[use]?.concurrency !== undefined;
    const candidates = slug
      ? [named.get(id)]
      : byId !== undefined
        ? [[...named.values()].find((each) => each.exists && each.id === byId)]
        : [...new Set(needs.flatMap((need) => found.get(need) ?? []))];
    const [only] = candidates;
    if (only && candidates.length === 1) found.set(id, only);
  }
  return found;
}
