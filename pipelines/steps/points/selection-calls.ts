import type { Facts, PlannedCalls } from '../../step.ts';
import { notSent } from '../bounds.ts';
import { conditionsOf, where, type Where } from './where.ts';

/** A condition as far as it is known before the run: absent, known, or an expression still. */
export const knownWhere = (input: { readonly where?: unknown } | undefined): Where | 'absent' | 'unknown' => {
  if (input === undefined || !('where' in input)) return 'absent';
  const { success, data } = where.safeParse(input.where);
  return success ? data : 'unknown';
};

/** Selections of what is tried on rows of the map: the rows themselves, a range by both of its ends, a word by its inside. */
const tries = { rows: 1, range: 3, search: 2 };

const tried = 'how the service reads conditions is tried on rows of the map; more where these do not match their own values';

/** What is asked beside a selection itself: reads that find how the service takes its conditions, where its connection does not name it. */
export function probes(condition: Where | 'absent' | 'unknown', { readings }: Pick<Facts, 'readings'>): PlannedCalls[] {
  const leaves = typeof condition === 'string' ? [] : [...conditionsOf(condition)];
  const searched = leaves.some((each) => 'search' in each.condition) && readings['search-match'] === undefined;
  const ranged = leaves.some((each) => !('search' in each.condition)) && readings['range-ends'] === undefined;
  if (condition !== 'unknown' && !searched && !ranged) return notSent('maps.query.select', 'maps.data.get');
  return [
    {
      operation: 'maps.query.select',
      min: 0,
      max: tries.rows + (ranged || condition === 'unknown' ? tries.range : 0) + (searched || condition === 'unknown' ? tries.search : 0),
      because: tried,
    },
    { operation: 'maps.data.get', min: 0, max: 1 },
  ];
}

/**
 * What a selection is held against: where the connection does not name what becomes of nulls, an inverted condition on numbers
 * against its inversion; and each of the two against every point, where it does not say that selections come whole.
 */
export function heldAgainst(condition: Where | 'absent' | 'unknown', { readings }: Pick<Facts, 'readings'>): PlannedCalls[] {
  const inverted =
    readings['inverted-null'] !== 'matches' &&
    (condition === 'unknown' ||
      (condition !== 'absent' && [...conditionsOf(condition)].some((each) => each.inverted && !('search' in each.condition))));
  const parts = inverted ? 2 : 1;
  const every = condition === 'absent' || readings['selection-size'] === 'whole' ? 0 : parts;
  return [{ operation: 'maps.query.select', min: 0, max: parts - 1 + every }];
}
