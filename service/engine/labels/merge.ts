/**
 * Merges groups, each with its centre and number of points, into fewer ones: always the two whose union adds least to the spread
 * within groups (Ward). Returns for each wanted number of groups, in the order asked for, the group of each of the first ones.
 */
export const mergedGroups = (centres: Float32Array, dims: number, points: readonly number[], wanted: readonly number[]): number[][] => {
  const n = points.length;
  const group = Array.from({ length: n }, (_, at) => at);
  const size = [...points];
  const alive = new Set(group);
  const cost = Array.from({ length: n }, () => new Float64Array(n));
  for (let i = 0; i < n; i += 1)
    for (let j = 0; j < i; j += 1) {
      let squared = 0;
      for (let at = 0; at < dims; at += 1) squared += (centres[i * dims + at]! - centres[j * dims + at]!) ** 2;
      cost[i]![j] = cost[j]![i] = (squared * size[i]! * size[j]!) / Math.max(1, size[i]! + size[j]!);
    }
  const made = new Map<number, number[]>();
  const note = (): void => {
    const numbers = new Map([...alive].map((each, at) => [each, at]));
    made.set(
      alive.size,
      group.map((each) => numbers.get(each)!),
    );
  };
  note();
  while (alive.size > 1) {
    let best = { i: -1, j: -1, cost: Infinity };
    for (const i of alive) for (const j of alive) if (j < i && cost[i]![j]! < best.cost) best = { i, j, cost: cost[i]![j]! };
    const { i, j } = best;
    for (const other of alive) {
      if (other === i || other === j) continue;
      const [a, b, c] = [size[i]!, size[j]!, size[other]!];
      // Lance and Williams: the cost of the union from those of its parts.
      cost[j]![other] = cost[other]![j] =
        ((a + c) * cost[i]![other]! + (b + c) * cost[j]![other]! - c * cost[i]![j]!) / Math.max(1, a + b + c);
    }
    size[j]! += size[i]!;
    alive.delete(i);
    for (const [at, each] of group.entries()) if (each === i) group[at] = j;
    note();
  }
  return wanted.map((count) => made.get(Math.min(count, n))!);
};
