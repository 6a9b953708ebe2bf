import { endStatuses, type EndStatus } from '../plan.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { usesOf, type Uses } from './dataset-uses.ts';
import { sideBySide } from './lift-needs.ts';
import { before } from './order.ts';

const meet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean => [...one].some((name) => other.has(name));

/** After which ends of a step another one follows it; undefined: it need not. */
function follows(above: Uses, { writes, reads, holds }: Uses): EndStatus[] | undefined {
  // For the order alone: what was not written is not waited for.
  if (meet(above.writes, writes) || meet(above.writes, reads)) return ['done', 'tolerated', 'skipped'];
  // Each would wait for a key that is held beneath the other one.
  return meet(above.holds, holds) ? [...endStatuses] : undefined;
}

/**
 * A step that reads or writes a dataset follows every step above it that writes the same one, also where they are pipelines whose steps
 * do: two writers at once could not know whose rows the service counts. So does one that changes what a step above it changes, as a tag of a
 * map. Two pipelines whose runs may hold one key follow each other too.
 * `connection`: the file's, where it names one.
 */
export function followWriters(steps: AnalysedStep[], connection: string | undefined): void {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const uses = new Map(steps.map((step) => [step, usesOf(step, byId, connection)]));
  // The lists grow with what follows here.
  const needs = new Map(steps.map((step) => [step.id, step.needs]));
  for (const [index, step] of steps.entries()) {
    for (const above of steps.slice(0, index)) {
      const ends = follows(uses.get(above)!, uses.get(step)!);
      if (!ends) continue;
      const [first, second] = sideBySide(above, step, byId);
      if (!first || !second || first === second) continue;
      // The file says itself which one comes first, and after which ends.
      if (before(first.id, needs).has(second.id) || before(second.id, needs).has(first.id)) continue;
      second.needs.push(first.id);
      second.accepts[first.id] = ends;
    }
  }
}
