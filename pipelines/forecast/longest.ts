import type { PlanStep } from '../plan.ts';

/**
 * Longest time along what waits for what, from the seconds of each step by its id; steps of a plan come after what they need. A loop has
 * ended when the steps inside of it have, and a step that fails when what is done about it has.
 */
export function longest(steps: readonly PlanStep[], seconds: ReadonlyMap<string, number>): number {
  const within = Map.groupBy(steps, ({ in: of }) => of);
  const chain = (block: readonly PlanStep[]): number => {
    const ends = new Map<string, number>();
    for (const { id, needs } of block) {
      const inner = within.get(id) ?? [];
      const turns = chain(inner.filter(({ on }) => on === undefined));
      const reactions = chain(inner.filter(({ on }) => on !== undefined));
      ends.set(id, Math.max(0, ...needs.map((need) => ends.get(need) ?? 0)) + seconds.get(id)! + turns + reactions);
    }
    return Math.max(0, ...ends.values());
  };
  return chain(within.get(undefined) ?? []);
}
