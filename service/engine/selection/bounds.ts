import type { Filter, Selection } from '../../../contracts/maps/selection.ts';
import { SelectionError } from './error.ts';

/** Largest selection that is answered: what one statement plans in a moment. How deep it nests is no matter. */
export const selectionBounds = { filters: 5_000, values: 100_000 } as const;

/** Throws `SelectionError` 422 for a selection that is too large. Compositions count as filters where they hold none. */
export const checkBounds = (selection: Selection): void => {
  const left: Filter[] = [selection];
  let filters = 0;
  let values = 0;
  for (let next = left.pop(); next; next = left.pop()) {
    if (next.method === 'composition' && next.filters.length > 0) {
      for (const filter of next.filters) left.push(filter);
      continue;
    }
    filters += 1;
    if (next.method === 'category') values += next.values.length;
    if (filters > selectionBounds.filters)
      throw new SelectionError(`selection: more than ${selectionBounds.filters} filters; use one category filter with many values`);
    if (values > selectionBounds.values)
      throw new SelectionError(`selection: more than ${selectionBounds.values} category values; send several queries`);
  }
};
