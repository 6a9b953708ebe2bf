import type { Filter } from '../../../contracts/maps/selection.ts';

type Composition = Extract<Filter, { method: 'composition' }>;
type Leaf = Exclude<Filter, Composition>;

/** How the filters of a selection become one value. `negate`: the filter counts inverted, by itself and by those around it. */
export type Folding<T> = {
  leaf: (filter: Leaf, negate: boolean) => T;
  composition: (filter: Composition, negate: boolean, parts: T[]) => T;
};

/** Folds a filter from its leaves up, whatever its depth: no level of it is a level of the stack. */
export const foldFilter = <T>(top: Filter, inverted: boolean, { leaf, composition }: Folding<T>): T => {
  const negates = (filter: Filter, outer: boolean): boolean => outer !== (filter.polarity === false);
  const root: T[] = [];
  const open: { filter: Composition; negate: boolean; parts: T[]; into: T[] }[] = [];
  const enter = (filter: Filter, outer: boolean, into: T[]): void => {
    const negate = negates(filter, outer);
    if (filter.method === 'composition') open.push({ filter, negate, parts: [], into });
    else into.push(leaf(filter, negate));
  };
  enter(top, inverted, root);
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const next = last.filter.filters[last.parts.length];
    if (next) enter(next, last.negate, last.parts);
    else {
      open.pop();
      last.into.push(composition(last.filter, last.negate, last.parts));
    }
  }
  return root[0]!;
};
