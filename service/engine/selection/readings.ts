import type { Readings } from '../../../contracts/assumptions/index.ts';

/** The assumptions that a selection meets. */
export type SelectionReadings = Pick<
  Readings,
  'empty-all' | 'inverted-null' | 'top-polarity' | 'range-ends' | 'range-bounds' | 'category-values' | 'search-match'
>;
