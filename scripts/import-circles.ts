/** Circles among files: of each group of files that all reach each other one shortest way round, its first file at both ends. */
export function importCircles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const shown = new Set<string>();
  for (const start of [...imports.keys()].toSorted()) {
    if (shown.has(start)) continue;
    const circle = wayBack(start, imports);
    if (circle === undefined) continue;
    circles.push(circle);
    const reached = reachable(start, imports);
    for (const file of reached) if (reachable(file, imports).has(start)) shown.add(file);
  }
  return circles;
}

/** The shortest way from a file to itself; undefined where there is none. */
function wayBack(start: string, imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const seen = new Set<string>();
  const ways = [[start]];
  for (const way of ways) {
    for (const next of imports.get(way.at(-1)!) ?? []) {
      if (next === start) return [...way, start];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

function reachable(start: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set([start]);
  for (const file of found) for (const next of imports.get(file) ?? []) found.add(next);
  return found;
}
