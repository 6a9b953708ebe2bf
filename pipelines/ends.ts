import { usualEnds, type EndStatus, type PlanStep } from './plan.ts';

/** What decides how a step may end. */
type Conditional = Pick<PlanStep, 'id' | 'needs' | 'accepts' | 'when' | 'onError'>;

/** Ends of a need after which a step starts. */
export const acceptedOf = ({ accepts }: Pick<PlanStep, 'accepts'>, need: string): readonly EndStatus[] => accepts?.[need] ?? usualEnds;

/** How each step may end in a run that does not fail. The steps come after what they need. */
export function possibleEnds(steps: readonly Conditional[]): ReadonlyMap<string, ReadonlySet<EndStatus>> {
  const all = new Map<string, Set<EndStatus>>();
  for (const step of steps) {
    const { id, needs, when = true, onError } = step;
    const ends = new Set<EndStatus>();
    const of = needs.map((need) => [...(all.get(need) ?? [])].map((end) => acceptedOf(step, need).includes(end)));
    if (when !== false && of.every((accepted) => accepted.includes(true))) {
      ends.add('done');
      if (onError === 'tolerate') ends.add('tolerated');
    }
    if (when !== true || of.some((accepted) => accepted.includes(false))) ends.add('skipped');
    all.set(id, ends);
  }
  return all;
}
