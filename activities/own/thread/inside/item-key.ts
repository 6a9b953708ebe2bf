/** Name of an item whose sweep has no `key`: the item where it is a string or number, its `id`, or its number from 0. */
export function keyOf(item: unknown, number: number): string {
  if (typeof item === 'string' || typeof item === 'number') return String(item);
  const { id } = (item ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? String(id) : String(number);
}
