import { SelectionError } from './error.ts';

/**
 * Largest selection that is answered. `depth` keeps clear of DuckDB's expression depth (1,000) and of the stack;
 * `filters` and `values` of what one statement plans in a moment.
 */
export const selectionBounds = { depth: 200, filters: 5_000, values: 100_000 } as const;

const children = (node: unknown): unknown[] =>
  node !== null && typeof node === 'object' && 'filters' in node && Array.isArray(node.filters) ? node.filters : [];
const values = (node: unknown): number =>
  node !== null && typeof node === 'object' && 'values' in node && Array.isArray(node.values) ? node.values.length : 0;

/**
 * Throws `SelectionError` 422 for a selection that is too deep or too large. Works on any parsed JSON without
 * recursion, so a server can call it before its schema does recurse.
 */
export const checkBounds = (selection: unknown): void => {
  let level: unknown[] = [selection];
  let filters = 0;
  let categoryValues = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > selectionBounds.depth)
      throw new SelectionError(422, `selection: compositions nest deeper than ${selectionBounds.depth} levels; flatten them`);
    filters += level.length;
    categoryValues += level.reduce<number>((sum, node) => sum + values(node), 0);
    if (filters > selectionBounds.filters)
      throw new SelectionError(422, `selection: more than ${selectionBounds.filters} filters; use one category filter with many values`);
    if (categoryValues > selectionBounds.values)
      throw new SelectionError(422, `selection: more than ${selectionBounds.values} category values; send several queries`);
    level = level.flatMap(children);
  }
};
