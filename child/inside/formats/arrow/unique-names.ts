/** Names as DuckDB gives them to a Parquet file: of those that are equal when case is ignored the later ones become `name_1`, `name_2` … */
export function uniqueNames(names: readonly (string | null)[]): string[] {
  const seen = new Set<string>();
  return names.map((given, at) => {
    const name = given || `field${at}`;
    let unique = name;
    for (let count = 1; seen.has(unique.toLowerCase()); count += 1) unique = `${name}_${count}`;
    seen.add(unique.toLowerCase());
    return unique;
  });
}
