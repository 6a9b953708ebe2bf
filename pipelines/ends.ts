import { endStatuses, usualEnds, type EndStatus, type PlanStep } from './plan.ts';

/** What decides how a step may end. In lists of them each stands behind its needs. */
type Conditional = Pick<PlanStep, 'id' | 'needs' | 'accepts' | 'when' | 'onError' | 'in'>;

/** True of a status that never changes any more. */
export const hasEnd = (status: string | undefined): status is EndStatus => (endStatuses as readonly unknown[]).includes(status);

/** Ends of a need after which a step starts. */
export const acceptedOf = ({ accepts }: Pick<PlanStep, 'accepts'>, need: string): readonly EndStatus[] => accepts?.[need] ?? usualEnds;

/** How each step may end in a run that does not fail. */
export function possibleEnds(steps: readonly Conditional[]): ReadonlyMap<string, ReadonlySet<EndStatus>> {
  const all = new Map<string, Set<EndStatus>>();
  for (const step of steps) {
    const { id, needs, when = true, onError } = step;
    const ends = new Set<EndStatus>();
    const of = needs.map((need) => [...(all.get(need) ?? [])].map((end) => acceptedOf(step, need).includes(end)));
    if (when !== false && of.every((accepted) => accepted.includes(true))) {
      ends.add('done');
      if (Object.values(onError ?? {}).some(({ does }) => does !== 'fail')) ends.add('tolerated');
    }
    if (when !== true || of.some((accepted) => accepted.includes(false))) ends.add('skipped');
    all.set(id, ends);
  }
  return all;
}

/** Steps that may begin although the run has failed: those that accept the failure of a need, and what needs one of these. */
export function reacting(steps: readonly Conditional[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const step of steps) if (step.needs.some((need) => found.has(need) || acceptedOf(step, need).includes('failed'))) found.add(step.id);
  return found;
}

/** True where a loop ends its run when each of its turns fails. */
export const endsWithItsTurns = ({ tolerate }: Pick<PlanStep, 'tolerate'>): boolean => {
  const { count, share = 0 } = tolerate?.['failed'] ?? {};
  return count === undefined && share < 1;
};

/** True where a run that has succeeded has done the step: nothing skips it, and nothing tolerates that it fails. */
export function mustBeDone(id: string, steps: readonly PlanStep[]): boolean {
  const step = steps.find((each) => each.id === id)!;
  const ends = possibleEnds(steps).get(id)!;
  if (!ends.has('done') || ends.size > 1 || step.on !== undefined) return false;
  const loop = steps.find((each) => each.id === step.in);
  return loop === undefined || (endsWithItsTurns(loop) && mustBeDone(loop.id, steps));
}

/** The steps that are not skipped whatever happens: some run carries them out, be it one that fails. */
export function thatMayBegin<S extends Conditional>(steps: readonly S[]): S[] {
  const [ends, reacts] = [possibleEnds(steps), reacting(steps)];
  const found = new Map<string, S>();
  for (const step of steps)
    if (step.when !== false && (ends.get(step.id)!.has('done') || reacts.has(step.id)) && (step.in === undefined || found.has(step.in)))
      found.set(step.id, step);
  return [...found.values()];
}
