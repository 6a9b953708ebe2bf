import { isDeepStrictEqual } from 'node:util';
import type { Plan, PlanStep } from '../plan.ts';
import type { DatasetFacts, Step } from '../step.ts';
import { hasExpression } from '../expressions/scan.ts';
import { known } from '../file/embedded-expressions.ts';
import { notAfter } from './certain.ts';

/**
 * The dataset of each step, as far as one was looked at: the one that it names by its slug or by its id, else that of all steps that
 * it needs. Of two it is not known which one is meant, and nothing is known of one that another step, or another turn, may have
 * made and filled.
 */
export function datasetsOf(
  plan: Plan,
  steps: Readonly<Record<string, Step>>,
  named: ReadonlyMap<string, DatasetFacts>,
): ReadonlyMap<string, DatasetFacts> {
  const found = new Map<string, DatasetFacts>();
  for (const planned of plan.steps) {
    const { id, use, with: input, needs } = planned;
    const field = steps[use]?.dataset?.field;
    const given = field === undefined ? undefined : (input as Readonly<Record<string, unknown>>)[field];
    const byId = typeof given === 'string' && !hasExpression(given) ? given.toLowerCase() : undefined;
    const slug = steps[use]?.concurrency !== undefined;
    const candidates = slug
      ? [seenFrom(planned, plan, steps, named.get(id))]
      : byId !== undefined
        ? [[...named.values()].find((each) => each.exists && each.id === byId)]
        : [...new Set(needs.flatMap((need) => found.get(need) ?? []))];
    const [only] = candidates;
    if (only && candidates.length === 1 && (slug || !isMadeBefore(only))) found.set(id, only);
  }
  return found;
}

const isMadeBefore = (facts: DatasetFacts): boolean => !facts.exists && facts.madeBefore === true;

/** What a step that names a dataset by its slug finds: of several that name it, and of several turns, only the first makes it. */
function seenFrom(
  step: PlanStep,
  plan: Plan,
  steps: Readonly<Record<string, Step>>,
  facts: DatasetFacts | undefined,
): DatasetFacts | undefined {
  if (!facts || facts.exists) return facts;
  const nameOf = ({ use, with: input, connections }: PlanStep): unknown[] => [connections['maps'], steps[use]?.concurrency?.(known(input))];
  const another = notAfter(step, plan).some((each) => isDeepStrictEqual(nameOf(each), nameOf(step)));
  return step.in !== undefined || another ? { ...facts, madeBefore: true } : facts;
}
