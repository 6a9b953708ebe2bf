/** Characters of a text: Unicode code points, so that an emoji counts once, as in DuckDB's `length` and in Python. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
