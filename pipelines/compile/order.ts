/** Steps by id, each with the ids of the steps that must have ended first. */
export type Needs = ReadonlyMap<string, readonly string[]>;

/** Ids so that each comes after what it needs, otherwise in the order of the file; or one cycle, first id repeated last. */
export function order(needs: Needs): { order: string[] } | { cycle: string[] } {
  const done = new Set<string>();
  const result: string[] = [];
  for (const start of needs.keys()) {
    const path: string[] = [];
    const stack = [{ id: start, next: 0 }];
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      if (top.next === 0) {
        if (done.has(top.id)) {
          stack.pop();
          continue;
        }
        const seen = path.indexOf(top.id);
        if (seen >= 0) return { cycle: [...path.slice(seen), top.id] };
        path.push(top.id);
      }
      const needed = needs.get(top.id)?.[top.next++];
      if (needed !== undefined) stack.push({ id: needed, next: 0 });
      else {
        stack.pop();
        path.pop();
        done.add(top.id);
        result.push(top.id);
      }
      // A step without needs ends in the branch above; `next` then distinguishes a first visit from a later one.
      if (top.next === 0) top.next = 1;
    }
  }
  return { order: result };
}

/** Everything that must have ended before a step. */
export function before(id: string, needs: Needs): Set<string> {
  const all = new Set<string>();
  const rest = [...(needs.get(id) ?? [])];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (all.has(next)) continue;
    all.add(next);
    rest.push(...(needs.get(next) ?? []));
  }
  return all;
}

/** Steps so that each comes after what it needs, and those of a loop behind it. What waits for itself is left out. */
export function inOrder<S extends { id: string; needs: readonly string[]; in?: string }>(steps: readonly S[], loop?: string): S[] {
  const beside = new Map(steps.filter((step) => step.in === loop).map((step) => [step.id, step]));
  const sorted = order(new Map([...beside].map(([id, { needs }]) => [id, needs])));
  return ('order' in sorted ? sorted.order : []).flatMap((id) => [beside.get(id)!, ...inOrder(steps, id)]);
}
