import type { Plan } from '../pipelines/plan.ts';
import type { HeldAbove, NamedStart } from '../pipelines/run-start.ts';

/**
 * A plan that is run beneath this run, and all that is held above it. What a run above holds it cannot wait for: it holds the key beneath
 * that run, apart from others there, which would write the same at the same time.
 */
export function beneath(made: Plan, { concurrency }: Plan, start: NamedStart): { own: Plan; above: HeldAbove[] } {
  const above = [...(start.above ?? []), ...(concurrency === null ? [] : [{ key: concurrency.key, run: start.id }])];
  const holder = above.findLast(({ key }) => key === made.concurrency?.key);
  // One of them goes on when the other has ended: none is in place of another.
  const own: Plan = holder ? { ...made, concurrency: { key: holder.key, when: 'queue', beneath: holder.run } } : made;
  return { own, above };
}
